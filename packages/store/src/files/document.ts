import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { isTroupeError, TroupeError } from "@troupe/protocol";
import { assertOwn } from "./directory.ts";
import { pause } from "./pause.ts";

/** Bigger files are not read: no team, task or inbox is. */
export const maxBytes = 64 * 1024 * 1024;

/** The bytes of a document; undefined where there is none. What is no regular file, or too big for any document, is an error. */
export function readBytes(path: string): Uint8Array | undefined {
  return withFile(path, (file, size) => {
    if (size <= maxBytes) return readFileSync(file);
    const message = `${path} has ${size} bytes, more than the ${maxBytes} that are read: move it aside`;
    throw new TroupeError("document_unreadable", message, { path, size });
  });
}

/** How many bytes a document has; 0 where there is none. */
export const sizeOf = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Reads from an open regular file. No link is followed, and a pipe in place of a file makes nobody wait. */
export function withFile<T>(path: string, work: (file: number, size: number) => T): T | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
  assertOwn(dirname(path));
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(file);
    if (!found.isFile())
      throw new TroupeError("document_unreadable", `${path} is no regular file: put a file in its place`, { path });
    return work(file, found.size);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (isTroupeError(error)) throw error;
    const reason = codeOf(error) === "ELOOP" ? "it is a link: put a file in its place" : (error as Error).message;
    throw new TroupeError("document_unreadable", `${path} cannot be read: ${reason}`, { path }, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
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

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
