import { constants, copyFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Codec, entryKeys, type InboxEntry, type InboxRead, isUnread, TroupeError } from "@troupe/protocol";
import { isPresent } from "./directory.ts";
import { maxBytes, readBytes, readSettled, sizeOf, stampOf } from "./document.ts";
import { type Held, type Lease, type LockLimits, takeLease, withLock } from "./lock.ts";
import { mendedEntries } from "./mended-entries.ts";
import { publish, publishLonger } from "./publication.ts";
import { watchDirectories } from "./watch.ts";

/** A message, with what tells it from every other of its inbox. */
export interface Message {
  readonly key: string;
  readonly entry: InboxEntry;
}

/** One agent's mailbox. */
export interface Inbox {
  /** On disk when it resolves, behind everything that was there. */
  append(entry: InboxEntry): Promise<Message>;
  read(): Promise<InboxRead>;
  /** What was not taken yet, oldest first. Taking changes nothing on disk: acknowledge what you have made your own. */
  take(): Promise<Message[]>;
  /** As `take`, but waits until there is something; nothing only when it is aborted. */
  wait(signal?: AbortSignal): Promise<Message[]>;
  /** Marks or removes messages that were taken; those that are gone already count as done. */
  acknowledge(keys: ReadonlySet<string>): Promise<void>;
  /** Makes this the one consumer until it releases the lease or dies; others wait for it, or fail with `lock_unavailable`. */
  lease(): Promise<Lease>;
  /** Removes what was read, which one revision keeps for ever; says how many. */
  compact(): Promise<number>;
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

/** From here on, reading and writing takes so long that nobody should wait for it. */
const largeBytes = 1024 * 1024;

/** How an inbox of ours that holds something ends. */
const lastEnd = "\n  }";
const ownEnd = `${lastEnd}\n]`;

/** The inbox in a file, shared with whoever keeps to the same lock. */
export function openInbox({ path, codec, limits, isDurable = false, now = Date.now }: InboxDeps): Inbox {
  let batch: { readonly entries: InboxEntry[]; readonly written: Promise<void> } | undefined;

  /** Whoever comes while the lock is awaited goes along in the same write. */
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
    if (size + list.length > maxBytes) throw full(path, size);
    if (publishLonger(held, path, ownEnd, `${lastEnd},${list.slice(1)}`, isDurable)) return;
    const bytes = readBytes(path);
    const found = codec.readInbox(bytes ?? "[]");
    if (found.raw && !found.isWritable) throw notWritable(path, found);
    const before = found.raw ?? keepAside(path, bytes, codec, now);
    publish(held, path, codec.write([...before, ...entries]), isDurable);
  }

  const read = async (): Promise<InboxRead> =>
    (await readSettled(path, codec.readInbox, isTorn)) ?? codec.readInbox("[]");

  const take = async (): Promise<Message[]> => messagesIn(await read()).filter(({ entry }) => isUnread(entry));

  /**
   * Writes what becomes of the inbox once these of its messages are done with; says how many they are. A large inbox is prepared before the
   * lock is taken, since others wait half a second for it at the most.
   */
  async function without(
    isDone: (message: Message) => boolean,
    made: (found: InboxRead, at: Set<number>) => unknown[],
  ) {
    const prepare = () => {
      const found = codec.readInbox(readBytes(path) ?? "[]");
      const messages = messagesIn(found);
      const done = new Set(found.positions.filter((_, index) => isDone(messages[index] as Message)));
      if (done.size > 0 && !found.isWritable) throw notWritable(path, found);
      return { count: done.size, text: done.size > 0 ? codec.write(made(found, done)) : "" };
    };
    const stamp = sizeOf(path) > largeBytes ? stampOf(path) : undefined;
    const early = stamp === undefined ? undefined : prepare();
    if (!isPresent(path)) return 0;
    return withLock(
      path,
      (held) => {
        const { count, text } = early && stamp === stampOf(path) ? early : prepare();
        if (count > 0) publish(held, path, text, isDurable);
        return count;
      },
      limits,
    );
  }

  return {
    read,

    async append(entry) {
      const bytes = Buffer.byteLength(JSON.stringify(entry));
      if (bytes > maxMessageBytes) throw tooLarge(path, bytes);
      batch ??= newBatch();
      batch.entries.push(entry);
      await batch.written;
      return { key: entryKeys([entry])[0] ?? "", entry };
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

    async acknowledge(keys) {
      await without(
        ({ key, entry }) => keys.has(key) && isUnread(entry),
        (found, taken) => codec.consume(found, taken),
      );
    },

    lease: () => takeLease(`${path}.consumer`, limits),

    compact: () =>
      without(
        ({ entry }) => !isUnread(entry),
        ({ raw = [] }, done) => raw.filter((_, position) => !done.has(position)),
      ),
  };
}

const messagesIn = ({ entries }: InboxRead): Message[] => {
  const keys = entryKeys(entries);
  return entries.map((entry, index) => ({ key: keys[index] ?? "", entry }));
};

const isTorn = ({ problems }: InboxRead): boolean => problems.some(({ code }) => code === "document_torn");

/** Does to a damaged inbox what the next message would do: keeps it aside, and puts what was whole in its place. */
export const mendInbox = ({ path, codec, limits, isDurable = false, now = Date.now }: InboxDeps): Promise<void> =>
  withLock(
    path,
    (held) => {
      const bytes = readBytes(path);
      const found = codec.readInbox(bytes ?? "[]");
      if (found.raw && !isTorn(found)) return;
      publish(held, path, codec.write(keepAside(path, bytes, codec, now)), isDurable);
    },
    limits,
  );

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
