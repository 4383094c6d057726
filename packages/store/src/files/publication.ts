import {
  closeSync,
  constants,
  copyFileSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { isTroupeError, TroupeError } from "@troupe/protocol";
import { assertOwn, isPresent } from "./directory.ts";
import { withFile } from "./document.ts";
import type { Held } from "./lock.ts";

/**
 * Puts a whole new document in the place of the old one: any reader sees the one or the other. With `isDurable` it also survives a
 * power cut; without, only the death of this process.
 */
export function publish(held: Held, target: string, text: string, isDurable = false): void {
  const open = () => openSync(held.temporary, "wx", 0o600);
  const fill = (file: number) => {
    writeFileSync(file, text);
    return true;
  };
  replace(held, target, isDurable, open, fill);
}

/**
 * The same with `tail` in place of the document's `end`. The kernel copies it and only the end of the copy is written, so that nothing of
 * it passes through this process. False, with nothing changed, when the document does not end so.
 */
export function publishLonger(held: Held, target: string, end: string, tail: string, isDurable: boolean): boolean {
  assertOwn(dirname(target));
  const size = withFile(target, (file, { size }) => {
    const found = Buffer.alloc(Math.min(end.length, size));
    readSync(file, found, 0, found.length, size - found.length);
    return found.toString("latin1") === end ? size : undefined;
  });
  if (size === undefined) return false;
  const open = () => {
    copyFileSync(target, held.temporary, constants.COPYFILE_EXCL);
    return openSync(held.temporary, "r+");
  };
  const fill = (file: number) => {
    // A writer that ignores locks may have made it longer since: the end is where we looked, or nowhere.
    if (fstatSync(file).size !== size) return false;
    writeSync(file, tail, size - end.length);
    return true;
  };
  return replace(held, target, isDurable, open, fill);
}

/** Takes a document away for good. */
export function removeDocument(held: Held, path: string, isDurable: boolean): void {
  assertOwn(dirname(path));
  held.assertHeld();
  rmSync(path);
  if (isDurable) syncDirectory(dirname(path));
}

/** Gives a directory another name, all that is in it at once. */
export function moveDirectory(directory: string, target: string): void {
  assertOwn(directory);
  renameSync(directory, target);
}

/** Removes a directory that was put aside, with all that is in it; somebody who looked before may still be putting a lock there. */
export function removeDirectory(directory: string): void {
  for (let attempt = 1; isPresent(directory); attempt += 1) {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ENOTEMPTY" || attempt === 10) throw error;
    }
  }
}

/** Renames the temporary file over the target once it is filled; false, and nothing changed, when it is not. */
function replace(
  held: Held,
  target: string,
  isDurable: boolean,
  open: () => number,
  fill: (file: number) => boolean,
): boolean {
  assertOwn(dirname(target));
  let file: number | undefined;
  let isReplaced = false;
  try {
    file = afresh(held.temporary, open);
    if (!fill(file)) return false;
    if (isDurable) fdatasyncSync(file);
    held.assertHeld();
    renameSync(held.temporary, target);
    isReplaced = true;
  } catch (error) {
    if (isTroupeError(error)) throw error;
    // Whoever took the lock over has removed the temporary file.
    held.assertHeld();
    if ((error as { code?: unknown }).code === "ENOENT") throw lost(target);
    const message = `${target} cannot be written and is as it was: ${(error as Error).message}`;
    throw new TroupeError("document_unwritable", message, { path: target }, error);
  } finally {
    if (file !== undefined) closeSync(file);
    if (!isReplaced) rmSync(held.temporary, { force: true });
  }
  if (isDurable) syncDirectory(dirname(target));
  return true;
}

const lost = (path: string): TroupeError =>
  new TroupeError("lock_lost", `what was prepared for ${path} is gone, since its maker was stopped: try again`, {
    path,
  });

/** Made exclusively, so that nothing is written through a link somebody put there; one of a dead holder is removed first. */
function afresh<T>(temporary: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
    rmSync(temporary);
    return make();
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
