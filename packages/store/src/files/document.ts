import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isTroupeError, TroupeError } from "@troupe/protocol";
import { type Found, isUnparsed, maxBytes } from "@troupe/protocol/rules";
import { assertOwn, codeOf, lookAt, unlessAbsent } from "./directory.ts";
import { nap } from "./lock.ts";

/**
 * The bytes of a document; undefined where there is none. What is no regular file, or too big for
 * any document, is an error.
 */
export function readBytes(path: string): Uint8Array | undefined {
  assertOwn(dirname(path));
  return withFile(path, (file, { size }) => bytesOf(path, file, size));
}

/** The size of a document in bytes; 0 when there is none. */
export const sizeOf = (path: string): number => lookAt(path)?.size ?? 0;

/** A mark that tells a file from an earlier one at the same path. */
export interface Look {
  readonly size: number;
  readonly ino: number;
  readonly mtimeMs: number;
}

/**
 * A file may change twice within one tick of the clock it is stamped with: what is younger is not
 * relied on.
 */
export const tickOf = (mtimeMs: number): number => (mtimeMs % 1_000 === 0 ? 2_000 : 20);

/**
 * Equal as long as a file has not changed; undefined where there is none, or where that cannot be
 * told yet.
 */
export function stampOf(path: string): string | undefined {
  const look = lookAt(path);
  if (!look || Date.now() - look.mtimeMs <= tickOf(look.mtimeMs)) return undefined;
  return `${look.ino} ${look.size} ${look.mtimeMs}`;
}

/** No link is followed, and a pipe makes nobody wait. */
export const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Reads from an open regular file; undefined where there is none. No link is followed in place of
 * the file, and a pipe there makes nobody wait. Whether the directory is a link has been asked
 * before.
 */
export function withFile<T>(path: string, work: (file: number, look: Look) => T): T | undefined {
  let file: number | undefined;
  try {
    file = unlessAbsent(() => openSync(path, readOnly));
    if (file === undefined) return undefined;
    const stats = fstatSync(file);
    const { ino, size, mtimeMs } = stats;
    if (stats.isFile()) return work(file, { ino, size, mtimeMs });
    throw new TroupeError("document_unreadable", `${path} is no regular file: put a file in its place`, { path });
  } catch (error) {
    if (isTroupeError(error)) throw error;
    const isLink = codeOf(error) === "ELOOP";
    const reason = isLink ? "it is a link: put a file in its place" : (error as Error).message;
    throw new TroupeError("document_unreadable", `${path} cannot be read: ${reason}`, { path }, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The first `size` bytes of an open file: as many as it had when it was looked at. */
export function bytesOf(path: string, file: number, size: number): Uint8Array {
  if (size > maxBytes) {
    const message = `${path} has ${size} bytes, more than the ${maxBytes} that are read: move it aside`;
    throw new TroupeError("document_unreadable", message, { path, size });
  }
  const bytes = Buffer.allocUnsafe(size);
  let end = 0;
  for (let count = -1; count !== 0 && end < size; end += count) count = readSync(file, bytes, end, size - end, null);
  return bytes.subarray(0, end);
}

/**
 * Clients that write in place show half a document for a moment, and never one that stood for as
 * long as this.
 */
export const settleMs = 1_000;
const looks = 24;
/** The first follow each other fast: most files are torn for no longer. */
const quickLooks = 5;
const quickMs = 10;

/**
 * Reads a document again while it does not parse and has just been written, for a second at the
 * most.
 */
export async function readSettled<T extends Found>(path: string, read: (bytes: Uint8Array) => T) {
  const look = () => {
    const bytes = readBytes(path);
    return bytes && read(bytes);
  };
  return settled(look, (found, at) => found !== undefined && isHalf(path, found) && isYoung(path, at));
}

/**
 * The same under a lock, where nothing can be awaited and others wait: for as long as most files
 * are torn.
 */
export function readSettledNow<T extends Found>(path: string, read: (bytes: Uint8Array) => T) {
  const look = () => {
    const bytes = readBytes(path);
    return bytes && { bytes, found: read(bytes) };
  };
  let [at, seen] = [Date.now(), look()];
  for (let n = 1; n <= quickLooks && seen && isUnparsed(seen.found) && isYoung(path, at); n += 1) {
    nap(quickMs);
    [at, seen] = [Date.now(), look()];
  }
  return seen;
}

/**
 * The same for a document that always exists: other clients remove and recreate it, which changes
 * its directory.
 */
export async function readLasting<T extends Found>(path: string, read: (bytes: Uint8Array) => T) {
  await settled(
    () => lookAt(path),
    (found, at) => !found && isYoung(dirname(path), at),
  );
  return readSettled(path, read);
}

/**
 * True for what changed within the time that a writer in place takes before it was looked at: a
 * process may be stopped behind its look, which tells nothing of the file. One that is cut to
 * nothing has its old time until it is stamped, up to a tenth of a second later.
 */
export function isYoung(path: string, at = Date.now()): boolean {
  const seen = lookAt(path);
  return (seen?.isFile() === true && seen.size === 0) || at - (seen?.mtimeMs ?? 0) <= settleMs;
}

/** The result, after looking again while it is not settled; it is told when each look began. */
export async function settled<T>(look: () => T, isUnsettled: (found: T, at: number) => boolean): Promise<T> {
  let [at, found] = [Date.now(), look()];
  for (let n = 1; n < looks && isUnsettled(found, at); n += 1) {
    await sleep(n <= quickLooks ? quickMs : 50);
    [at, found] = [Date.now(), look()];
  }
  return found;
}

/** A new file is filled within a tick of the clock; one that changes later was written in place. */
const fillMs = 5;
/**
 * True for a document that may be half of one version and half of the next: where it was written
 * over as it stood, that can parse and says what neither of them says.
 */
export const isHalf = (path: string, found: Found): boolean =>
  isUnparsed(found) || ("value" in found && found.value === undefined && isWrittenInPlace(path));

/** The pause behind which a burst of messages is over. */
const quietMs = 150;

/** True for a file that another client changed where it stands: ours only ever replace one. */
export function isWrittenInPlace(path: string): boolean {
  const { mtimeMs = 0, birthtimeMs = 0 } = lookAt(path) ?? {};
  return birthtimeMs > 0 && mtimeMs - birthtimeMs > fillMs;
}

/** What is known of the other clients of a file. */
export interface Pause {
  /**
   * Waits until a file that another client writes in place has not changed for a moment, for a
   * second at the most: such a client drops its message where it meets a lock.
   */
  coming(): Promise<void>;
  /** What stands there is ours, however long it took to be written. */
  noteOurs(): void;
}

/** That a client writes in place stays known, as what we write shows nothing of it. */
export function openPause(path: string): Pause {
  let isInPlace = false;
  let ours: Look | undefined;
  const isOurs = () => {
    const now = lookAt(path);
    return now?.ino === ours?.ino && now?.mtimeMs === ours?.mtimeMs;
  };
  return {
    async coming() {
      isInPlace ||= isWrittenInPlace(path) && !isOurs();
      if (!isInPlace) return;
      await settled(
        () => lookAt(path)?.mtimeMs ?? 0,
        (changedAt) => Date.now() - changedAt < quietMs,
      );
    },
    noteOurs() {
      ours = lookAt(path);
    },
  };
}
