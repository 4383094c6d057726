import { dirname } from "node:path";
import { isTroupeError, TroupeError } from "@troupe/protocol";
import { type Message, messagesIn } from "@troupe/protocol/rules";
import type { Lease, Mail } from "../store.ts";
import { makeDirectory } from "./directory.ts";
import { type InboxDeps, openInbox } from "./inbox.ts";
import { takeLease } from "./lock.ts";

/** An inbox to look at. */
export const mailIn = (deps: InboxDeps): Mail => ({
  async page({ before, limit = Number.POSITIVE_INFINITY } = {}) {
    const found = await openInbox(deps).read();
    const messages = messagesIn(found);
    const end = before === undefined ? messages.length : messages.findIndex(({ key }) => key === before);
    return { value: messages.slice(Math.max(0, end - limit), Math.max(0, end)), problems: found.problems };
  },
});

export interface ReceiveDeps extends InboxDeps {
  /** Fires when the store is closed, which releases the lease. */
  readonly closing?: AbortSignal | undefined;
}

/** Becomes the one consumer of an inbox, which need not be there yet. */
export async function receive({ closing, ...deps }: ReceiveDeps): Promise<Lease> {
  const { path, limits } = deps;
  makeDirectory(dirname(path));
  const inbox = openInbox(deps);
  const lock = await takeLease(`${path}.consumer`, limits);
  const keys = openKeys();

  /** Throws `lease_lost`; asked last before anything is given or written. */
  function assertHeld(): void {
    try {
      lock.assertHeld();
    } catch (error) {
      throw isTroupeError(error) && error.code === "lock_lost" ? lost(path, error) : error;
    }
  }
  const given = (messages: readonly Message[]): readonly Message[] => {
    assertHeld();
    return messages.map(({ key, entry }) => ({ key: keys.given(key), entry }));
  };
  const release = async (): Promise<void> => {
    closing?.removeEventListener("abort", release);
    lock.release();
  };
  closing?.addEventListener("abort", release);
  if (closing?.aborted) await release();

  return {
    epoch: lock.mark,
    async take() {
      assertHeld();
      return given(await inbox.take());
    },
    async wait(signal) {
      assertHeld();
      return given(await inbox.wait(signal));
    },
    async acknowledge(taken) {
      assertHeld();
      const removed = await inbox.acknowledge(keys.onDisk(taken), assertHeld);
      keys.remove(removed);
    },
    release,
  };
}

/**
 * Equal messages differ by an ordinal alone, which the file counts from the start again once one of
 * them is removed. The consumer goes on counting, so that no key is given twice.
 */
function openKeys() {
  const removed = new Map<string, Set<number>>();
  const parts = (key: string): readonly [hash: string, ordinal: number] => {
    const [hash = "", ordinal] = key.split("#");
    return [hash, Number(ordinal)];
  };

  function given(key: string): string {
    const [hash, place] = parts(key);
    let ordinal = place;
    for (const gone of [...(removed.get(hash) ?? [])].sort((a, b) => a - b)) if (gone <= ordinal) ordinal += 1;
    return `${hash}#${ordinal}`;
  }

  function onDisk(keys: ReadonlySet<string>): Set<string> {
    const left = [...keys].map(parts).filter(([hash, ordinal]) => !removed.get(hash)?.has(ordinal));
    const before = (hash: string, ordinal: number) => [...(removed.get(hash) ?? [])].filter((gone) => gone < ordinal);
    return new Set(left.map(([hash, ordinal]) => `${hash}#${ordinal - before(hash, ordinal).length}`));
  }

  function remove(onDisk: readonly string[]): void {
    for (const [hash, ordinal] of onDisk.map(given).map(parts))
      removed.set(hash, new Set([...(removed.get(hash) ?? []), ordinal]));
  }
  return { given, onDisk, remove };
}

function lost(path: string, cause: unknown): TroupeError {
  const message = `the lease of ${path} was released, or taken over while its holder was stopped; nothing was taken or written: receive again`;
  return new TroupeError("lease_lost", message, { path }, cause);
}
