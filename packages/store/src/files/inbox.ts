import {
  closeSync,
  constants,
  copyFileSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { type Codec, entryKeys, type InboxEntry, type InboxRead, isUnread, TroupeError } from "@troupe/protocol";
import { maxBytes, publish, readBytes, readSettled } from "./document.ts";
import { type Held, type LockLimits, withLock } from "./lock.ts";
import { mendedEntries } from "./mended-entries.ts";

/** A message that waits, with what tells it from every other. */
export interface Waiting {
  readonly key: string;
  readonly entry: InboxEntry;
}

/** One agent's mailbox. */
export interface Inbox {
  /** On disk when it resolves, behind everything that was there. */
  append(entry: InboxEntry): Promise<void>;
  read(): Promise<InboxRead>;
  /** What was not taken yet, oldest first. Taking changes nothing on disk: acknowledge what you have made your own. */
  take(): Promise<Waiting[]>;
  /** Marks or removes messages that were taken; those that are gone already count as done. */
  acknowledge(keys: ReadonlySet<string>): Promise<void>;
}

export interface InboxDeps {
  readonly path: string;
  readonly codec: Codec;
  readonly limits?: LockLimits;
  /** Survive a power cut, not only the death of this process. */
  readonly isDurable?: boolean;
  /** For the name of a damaged inbox that is kept aside. */
  readonly now?: () => number;
}

/** The largest message. */
export const maxMessageBytes = 1024 * 1024;

/** How an inbox of ours that holds something ends. */
const ownEnd = "\n  }\n]";

/** The inbox in a file, shared with whoever keeps to the same lock. */
export function openInbox({ path, codec, limits, isDurable = false, now = Date.now }: InboxDeps): Inbox {
  let pending: InboxEntry[] = [];
  let flush: Promise<void> | undefined;

  const read = async (): Promise<InboxRead> =>
    (await readSettled(path, codec.readInbox, isTorn)) ?? codec.readInbox("[]");

  return {
    read,

    append(entry) {
      const bytes = Buffer.byteLength(JSON.stringify(entry));
      if (bytes > maxMessageBytes) return Promise.reject(tooLarge(path, bytes));
      pending.push(entry);
      // Whoever comes while the lock is awaited goes along in the same write.
      flush ??= withLock(
        path,
        (held) => {
          const entries = pending;
          pending = [];
          flush = undefined;
          appendUnderLock(held, path, codec, entries, { isDurable, now });
        },
        limits,
      ).catch((error: unknown) => {
        pending = [];
        flush = undefined;
        throw error;
      });
      return flush;
    },

    async take() {
      const { entries } = await read();
      const keys = entryKeys(entries);
      return entries.flatMap((entry, index) => (isUnread(entry) ? [{ key: keys[index] ?? "", entry }] : []));
    },

    acknowledge: (keys) =>
      withLock(
        path,
        (held) => {
          const found = codec.readInbox(readBytes(path) ?? "[]");
          const all = entryKeys(found.entries);
          const taken = found.positions.filter(
            (_, index) => keys.has(all[index] ?? "") && isUnread(found.entries[index] ?? {}),
          );
          if (taken.length > 0) publish(held, path, codec.write(codec.consume(found, new Set(taken))), isDurable);
        },
        limits,
      ),
  };
}

const isTorn = ({ problems }: InboxRead): boolean => problems.some(({ code }) => code === "document_torn");

interface Appending {
  readonly isDurable: boolean;
  readonly now: () => number;
}

function appendUnderLock(
  held: Held,
  path: string,
  codec: Codec,
  entries: readonly InboxEntry[],
  { isDurable, now }: Appending,
): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxBytes - maxMessageBytes) throw full(path, size);
  if (!isDurable && size > ownEnd.length && splice(held, path, size, codec.write(entries))) return;
  const bytes = readBytes(path);
  const found = codec.readInbox(bytes ?? "[]");
  if (found.raw && !found.isWritable) throw notWritable(path, found);
  const before = found.raw ?? keepAside(path, bytes, codec, now);
  publish(held, path, codec.write([...before, ...entries]), isDurable);
}

/**
 * Lets the kernel copy the inbox and patches the end of the copy, so that nothing of it passes through this process. False when the end
 * is not what we would have written ourselves: then it must be read.
 */
function splice(held: Held, path: string, size: number, list: string): boolean {
  const tail = Buffer.alloc(ownEnd.length);
  const source = openSync(path, "r");
  try {
    readSync(source, tail, 0, tail.length, size - tail.length);
  } finally {
    closeSync(source);
  }
  if (tail.toString("latin1") !== ownEnd) return false;
  rmSync(held.temporary, { force: true });
  copyFileSync(path, held.temporary, constants.COPYFILE_EXCL);
  try {
    const copy = openSync(held.temporary, "r+");
    try {
      // What was copied may be longer by now if a writer ignores locks: the end is where we looked, or nowhere.
      if (statSync(held.temporary).size !== size) return false;
      writeSync(copy, `,${list.slice(1)}`, size - 2);
    } finally {
      closeSync(copy);
    }
    held.assertHeld();
    renameSync(held.temporary, path);
    return true;
  } finally {
    rmSync(held.temporary, { force: true });
  }
}

/** The next writer of another make would wipe a damaged inbox; ours keeps it, and goes on with what can be vouched for. */
function keepAside(path: string, bytes: Uint8Array | undefined, codec: Codec, now: () => number): readonly unknown[] {
  if (!bytes) return [];
  copyFileSync(path, `${path}.damaged-${now()}`, constants.COPYFILE_EXCL);
  return mendedEntries(bytes, codec);
}

const tooLarge = (path: string, bytes: number): TroupeError =>
  new TroupeError(
    "message_too_large",
    `the message for ${path} has ${bytes} bytes, more than ${maxMessageBytes}: send a file's path instead`,
    { path, bytes },
  );

const full = (path: string, size: number): TroupeError =>
  new TroupeError("inbox_full", `${path} has ${size} bytes and takes no more: let its owner read it, or compact it`, {
    path,
    size,
  });

const notWritable = (path: string, { problems }: InboxRead): TroupeError =>
  new TroupeError("document_unwritable", `${path} cannot be rewritten: ${problems[0]?.message ?? "it is no array"}`, {
    path,
    problems,
  });
