import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { isTroupeError, TroupeError } from "@troupe/protocol";
import { assertOwn, lookAt, unlessAbsent } from "./directory.ts";
import { pause } from "./pause.ts";

/** Bigger files are not read: no team, task or inbox is. */
export const maxBytes = 64 * 1024 * 1024;

/** The bytes of a document; undefined where there is none. What is no regular file, or too big for any document, is an error. */
export function readBytes(path: string): Uint8Array | undefined {
  assertOwn(dirname(path));
  return withFile(path, (file, { size }) => bytesOf(path, file, size));
}

/** How many bytes a document has; 0 where there is none. */
export const sizeOf = (path: string): number => lookAt(path)?.size ?? 0;

/** What tells a file from the one that stood there before. */
export interface Look {
  readonly size: number;
  readonly ino: number;
  readonly mtimeMs: number;
}

/** A file may change twice within one tick of the clock it is stamped with: what is younger is not relied on. */
export const tickOf = (mtimeMs: number): number => (mtimeMs % 1_000 === 0 ? 2_000 : 20);

/** Equal as long as a file has not changed; undefined where there is none, or where that cannot be told yet. */
export function stampOf(path: string): string | undefined {
  const look = lookAt(path);
  if (!look || Date.now() - look.mtimeMs <= tickOf(look.mtimeMs)) return undefined;
  return `${look.ino} ${look.size} ${look.mtimeMs}`;
}

/**
 * Reads from an open regular file; undefined where there is none. No link is followed in place of the file, and a pipe there makes nobody
 * wait. Whether the directory is a link has been asked before.
 */
export function withFile<T>(path: string, work: (file: number, look: Look) => T): T | undefined {
  let file: number | undefined;
  try {
    file = unlessAbsent(() => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
    if (file === undefined) return undefined;
    const stats = fstatSync(file);
    if (stats.isFile()) return work(file, stats);
    throw new TroupeError("document_unreadable", `${path} is no regular file: put a file in its place`, { path });
  } catch (error) {
    if (isTroupeError(error)) throw error;
    const reason =
      (error as { code?: unknown }).code === "ELOOP"
        ? "it is a link: put a file in its place"
        : (error as Error).message;
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

const looks = 20;

/**
 * Reads a document again while it looks torn, for a second at the most: clients that write in place show half a document for a moment.
 * `isTorn` judges what was read.
 */
export async function readSettled<T>(
  path: string,
  read: (bytes: Uint8Array) => T,
  isTorn: (found: T) => boolean,
): Promise<T | undefined> {
  for (let look = 1; ; look += 1) {
    const bytes = readBytes(path);
    if (!bytes) return undefined;
    const found = read(bytes);
    if (look === looks || !isTorn(found)) return found;
    await pause(50);
  }
}
