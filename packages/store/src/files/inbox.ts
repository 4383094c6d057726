import { writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Codec, type InboxEntry, type InboxRead, isTroupeError, isUnread } from "@troupe/protocol";
import {
  assertInboxFits,
  assertMessageFits,
  isTorn,
  type Message,
  mendedEntries,
  messagesIn,
  positionsOf,
  unusable,
} from "@troupe/protocol/rules";
import { leaseLost } from "../refusals.ts";
import type { Lease } from "../store.ts";
import { assertOpening, checkedInbox, inboxShape } from "./checked.ts";
import { isPresent, makeDirectory } from "./directory.ts";
import { openPause, readBytes, readSettled, readSettledNow, sizeOf, stampOf } from "./document.ts";
import { type Held, takeLease, withLock } from "./lock.ts";
import { openKeys } from "./message-keys.ts";
import type { keptUnder } from "./own-directory.ts";
import { publish, publishLonger, rewrite, type WriteOptions } from "./publication.ts";
import { watchDirectories } from "./watch.ts";

/** One agent's mailbox as a file, for its consumer, for senders and for writers of another make. */
export interface Inbox {
  /** On disk when it resolves, behind everything that was there. */
  append(entry: InboxEntry): Promise<Message>;
  /**
   * The same, unless a message with the same content is there, or one was appended under this key
   * before, which is given then.
   */
  appendOnce(entry: InboxEntry, kept?: Kept): Promise<Message>;
  /**
   * Appends what `choose` gives under the lock, where it is told what stands there; then `done` is
   * called, still under it.
   */
  appendAll(choose: Choose, done: (held: Held) => void): Promise<void>;
  read(): Promise<InboxRead>;
  /**
   * The messages not taken yet, oldest first. Taking changes nothing on disk: acknowledge what you
   * have made your own.
   */
  take(): Promise<Message[]>;
  /** As `take`, but waits until there is something; nothing only when it is aborted. */
  wait(signal?: AbortSignal): Promise<Message[]>;
  /**
   * Marks or removes messages that were taken; those that are gone already count as done. Gives the
   * keys of those that are not in the file any more. What `assertMay` throws under the lock stops
   * it.
   */
  acknowledge(keys: ReadonlySet<string>, assertMay?: () => void): Promise<readonly string[]>;
  /** Removes what was read, which one revision keeps for ever; says how many. */
  compact(): Promise<number>;
}

/** Where a key of the caller's is kept, and what was sent under it. */
export type Kept = ReturnType<typeof keptUnder<InboxEntry>>;

/** The entries to append, in order; the keys are of the messages in the file at that moment. */
export type Choose = (held: Held, present: () => ReadonlySet<string>) => readonly InboxEntry[];

export interface InboxDeps extends WriteOptions {
  readonly path: string;
  readonly codec: Codec;
  /** For the name of a damaged inbox that is kept aside. */
  readonly now?: () => number;
}

/** The size from which on reading and writing take too long to be waited for. */
const largeBytes = 1024 * 1024;

/** The last bytes of an inbox of ours that is not empty. */
const lastEnd = "\n  }";
const ownEnd = `${lastEnd}\n]`;

/** The inbox in a file, shared with every program that keeps to the same lock. */
export function openInbox(deps: InboxDeps): Inbox {
  assertOpening("openInbox", deps, inboxShape);
  const { path, codec, now = Date.now, ...options } = deps;
  const { limits, isDurable } = options;
  const pause = openPause(path);
  let batch: { readonly entries: InboxEntry[]; readonly written: Promise<void> } | undefined;

  /** Callers that come while the lock is awaited join the same write. */
  function newBatch() {
    const entries: InboxEntry[] = [];
    const close = () => {
      if (batch?.entries === entries) batch = undefined;
    };
    const work = (held: Held) => {
      close();
      write(held, entries);
    };
    return { entries, written: withLock(path, work, limits).finally(close) };
  }

  function write(held: Held, entries: readonly InboxEntry[]): void {
    const list = codec.write(entries);
    const size = sizeOf(path);
    assertInboxFits(path, size, list.length);
    if (publishLonger(held, path, ownEnd, `${lastEnd},${list.slice(1)}`, isDurable)) return;
    const seen = readSettledNow(path, codec.readInbox);
    const found = seen?.found ?? codec.readInbox("[]");
    if (found.raw && !found.isWritable) throw unusable(path, found, "unwritable");
    const before = found.raw ?? keepAside(path, seen?.bytes, codec, now);
    publish(held, path, codec.write([...before, ...entries]), isDurable);
  }

  function writeOnce(held: Held, entry: InboxEntry): Message {
    const message = messageOf(entry);
    const { entries } = codec.readInbox(readBytes(path) ?? "[]");
    if (!messagesIn({ entries }).some(({ key }) => key === message.key)) write(held, [entry]);
    return message;
  }

  function writeUnder(held: Held, kept: Kept, entry: InboxEntry): Message {
    const before = kept.read();
    const first = before?.result ?? entry;
    if (before?.isDone) return messageOf(first);
    if (!before) kept.keep(held, false, first, isDurable);
    const message = writeOnce(held, first);
    kept.keep(held, true, first, isDurable);
    return message;
  }

  const read = async (): Promise<InboxRead> => (await readSettled(path, codec.readInbox)) ?? codec.readInbox("[]");

  const take = async (): Promise<Message[]> => messagesIn(await read()).filter(({ entry }) => isUnread(entry));

  /**
   * Writes what becomes of the inbox once these of its messages are done with; says how many they
   * are. A large inbox is prepared before the lock is taken, since others wait half a second for it
   * at the most.
   */
  async function without(
    isDone: (message: Message) => boolean,
    made: (found: InboxRead, at: Set<number>) => unknown[],
    assertMay = () => {},
  ): Promise<number> {
    const prepare = () => {
      const found = codec.readInbox(readBytes(path) ?? "[]");
      const done = positionsOf(found, isDone);
      if (done.size > 0 && !found.isWritable) throw unusable(path, found, "unwritable");
      return { text: done.size > 0 ? codec.write(made(found, done)) : undefined, done };
    };
    const stamp = sizeOf(path) > largeBytes ? stampOf(path) : undefined;
    const early = stamp === undefined ? undefined : prepare();
    if (!isPresent(path)) return 0;
    let count = 0;
    await rewrite(path, options, () => {
      assertMay();
      const { text, done } = early && stamp === stampOf(path) ? early : prepare();
      count = done.size;
      return text;
    });
    return count;
  }

  return checkedInbox({
    read,

    async append(entry) {
      assertMessageFits(entry);
      batch ??= newBatch();
      batch.entries.push(entry);
      await batch.written;
      return messageOf(entry);
    },

    async appendOnce(entry, kept) {
      assertMessageFits(entry);
      const work = (held: Held) => (kept ? writeUnder(held, kept, entry) : writeOnce(held, entry));
      return withLock(path, work, limits);
    },

    async appendAll(choose, done) {
      const work = (held: Held) => {
        const present = () => new Set(messagesIn(codec.readInbox(readBytes(path) ?? "[]")).map(({ key }) => key));
        const entries = choose(held, present);
        for (const entry of entries) assertMessageFits(entry);
        if (entries.length > 0) write(held, entries);
        done(held);
        pause.noteOurs();
      };
      await pause.coming();
      return withLock(path, work, limits);
    },

    async wait(signal) {
      const subjectOf = (fileName: string) => (fileName === basename(path) ? path : undefined);
      const changes = watchDirectories([{ directory: dirname(path), subjectOf }], signal);
      try {
        for (let isOver = false; !isOver; isOver = (await changes.next()).done === true) {
          const messages = await take();
          if (messages.length > 0) return messages;
        }
        return [];
      } finally {
        await changes.return?.();
      }
    },

    take,

    async acknowledge(keys, assertMay) {
      await pause.coming();
      let removed: readonly string[] = [];
      const consumed = (found: InboxRead, at: Set<number>) => {
        const left = codec.consume(found, at);
        const done = messagesIn(found).filter((_, index) => at.has(found.positions[index] as number));
        removed = left.length < (found.raw ?? []).length ? done.map(({ key }) => key) : [];
        return left;
      };
      await without(({ key, entry }) => keys.has(key) && isUnread(entry), consumed, assertMay);
      return removed;
    },

    compact: () =>
      without(
        ({ entry }) => !isUnread(entry),
        ({ raw = [] }, done) => raw.filter((_, position) => !done.has(position)),
      ),
  });
}

const messageOf = (entry: InboxEntry): Message => messagesIn({ entries: [entry] })[0] as Message;

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
      throw isTroupeError(error) && error.code === "lock_lost" ? leaseLost(path, error) : error;
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
 * Does to a damaged inbox what the next message would do: keeps it aside, and puts what was whole
 * in its place.
 */
export const mendInbox = ({ path, codec, now = Date.now, ...options }: InboxDeps): Promise<boolean> =>
  rewrite(path, options, () => {
    const seen = readSettledNow(path, codec.readInbox);
    const isSound = !seen || (seen.found.raw !== undefined && !isTorn(seen.found));
    return isSound ? undefined : codec.write(keepAside(path, seen.bytes, codec, now));
  });

/**
 * The next writer of another make would wipe a damaged inbox; ours keeps it, and goes on with what
 * can be vouched for.
 */
function keepAside(path: string, bytes: Uint8Array | undefined, codec: Codec, now: () => number): readonly unknown[] {
  if (!bytes) return [];
  writeFileSync(`${path}.damaged-${now()}`, bytes, { flag: "wx", mode: 0o600 });
  return mendedEntries(bytes, codec);
}
