import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { isTroupeError, TroupeError } from "@troupe/protocol";
import { assertGiven, maxBytes } from "@troupe/protocol/rules";

const chunkBytes = 64 * 1024;

/**
 * The bytes of a file that a person or a repository names; a link to one is followed. Throws
 * `document_unreadable` for a pipe, a socket or a device, none of which is opened, and for what is
 * larger than `limit` or grows beyond it; throws what the system says of a path where no file can
 * be read.
 */
export function readNamedFile(path: string, limit: number = maxBytes): Uint8Array {
  assertGiven("readNamedFile", { path, limit }, { path: "path", limit: "number" });
  try {
    assertRegular(path, statSync(path));
    // Another file may have taken its place since: a pipe makes no reader wait, and is not read.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      assertRegular(path, stats);
      if (stats.size > limit) throw tooLarge(path, limit);
      return bytesUpTo(limit, file, path);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // The system's error for an open file does not name it.
    if (!isTroupeError(error)) Object.assign(error as object, { path });
    throw error;
  }
}

/** A directory is left to the system, which has words of its own for it. */
function assertRegular(path: string, stats: Stats): void {
  if (stats.isFile() || stats.isDirectory()) return;
  const kind = stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device";
  throw new TroupeError("document_unreadable", `${path} is ${kind}, which has no end: name a regular file`, { path });
}

function bytesUpTo(limit: number, file: number, path: string): Uint8Array {
  const chunks: Buffer[] = [];
  for (let size = 0; ; ) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const count = readSync(file, chunk, 0, chunkBytes, null);
    if (count === 0) return Buffer.concat(chunks);
    size += count;
    // It may have grown since it was looked at, and of some files the size is not known.
    if (size > limit) throw tooLarge(path, limit);
    chunks.push(chunk.subarray(0, count));
  }
}

const tooLarge = (path: string, limit: number): TroupeError =>
  new TroupeError(
    "document_unreadable",
    `${path} has more than the ${limit} bytes that are read: name a smaller file`,
    { path, limit },
  );
