import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { TroupeError } from "@troupe/protocol";
import type { Held } from "./lock.ts";
import { pause } from "./pause.ts";

/** Bigger files are not read: no team, task or inbox is. */
export const maxBytes = 64 * 1024 * 1024;

/**
 * Puts a whole new document in the place of the old one: any reader sees the one or the other. With `isDurable` it also survives a
 * power cut; without, only the death of this process.
 */
export function publish(held: Held, target: string, text: string, isDurable = false): void {
  const file = create(held.temporary);
  try {
    writeFileSync(file, text);
    if (isDurable) fsyncSync(file);
    closeSync(file);
    held.assertHeld();
    renameSync(held.temporary, target);
  } catch (error) {
    rmSync(held.temporary, { force: true });
    throw error;
  }
  if (isDurable) syncDirectory(dirname(target));
}

/** Made exclusively, so that nothing is written through a link somebody put there; one of a dead holder is removed first. */
function create(temporary: string): number {
  try {
    return openSync(temporary, "wx", 0o600);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
    rmSync(temporary);
    return openSync(temporary, "wx", 0o600);
  }
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The bytes of a document; undefined where there is none. What is no regular file, or too big for any document, is an error. */
export function readBytes(path: string): Uint8Array | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isFile())
    throw new TroupeError("document_unreadable", `${path} is no regular file: put a file in its place`, { path });
  if (found.size > maxBytes) {
    const message = `${path} has ${found.size} bytes, more than the ${maxBytes} that are read: move it aside`;
    throw new TroupeError("document_unreadable", message, { path, size: found.size });
  }
  return readFileSync(path);
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
