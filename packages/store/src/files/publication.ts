import { randomInt } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { isTroupeError, TroupeError } from "@troupe/protocol";
import { assertGiven, type LockLimits, temporaryOf } from "@troupe/protocol/rules";
import { assertOwn, attempt, codeOf, isPresent, lookAt } from "./directory.ts";
import { withFile } from "./document.ts";
import { type Held, withLock } from "./lock.ts";

/** The options of every write. */
export interface WriteOptions {
  readonly limits?: LockLimits;
  /** Survive a power cut, not only the death of this process. */
  readonly isDurable?: boolean;
}

/**
 * Puts what the work makes of a document in its place, all under the document's lock; without a
 * text it stays as it is.
 */
export function rewrite(path: string, { limits, isDurable }: WriteOptions, work: (held: Held) => string | undefined) {
  const replaceIt = (held: Held): boolean => {
    const text = work(held);
    if (text !== undefined) publish(held, path, text, isDurable);
    return text !== undefined;
  };
  return withLock(path, replaceIt, limits);
}

/**
 * Puts a whole new document in the place of the old one: any reader sees the one or the other. With
 * `isDurable` it also survives a power cut; without, only the death of this process.
 */
export function publish(held: Held, target: string, text: string, isDurable = false): void {
  assertGiven("publish", { target, text }, { target: "path", text: "string" });
  assertGiven("held of publish", held, { temporaryFor: "function", assertHeld: "function" });
  replace(held, target, isDurable, (file) => writeFileSync(file, text));
}

/**
 * The same for a file with a single writer, or whose writers need not know of each other: no lock
 * is taken.
 */
export function publishAlone(target: string, text: string, { isDurable = false, mode = newMode } = {}): void {
  assertGiven("publishAlone", { target, text }, { target: "path", text: "string" });
  const held: Held = { temporaryFor: (file) => temporaryOf(file, randomInt(2 ** 32)), assertHeld() {} };
  replace(held, target, isDurable, (file) => writeFileSync(file, text), mode);
}

/**
 * The same with `tail` in place of the document's `end`: what stands before is copied and not
 * looked at. False, with nothing changed, when the document does not end so.
 */
export function publishLonger(held: Held, target: string, end: string, tail: string, isDurable = false): boolean {
  assertOwn(dirname(target));
  const size = withFile(target, (file, { size }) => {
    const found = Buffer.alloc(Math.min(end.length, size));
    readSync(file, found, 0, found.length, size - found.length);
    return found.toString("latin1") === end ? size : undefined;
  });
  if (size === undefined) return false;
  const fill = (file: number) => {
    // A writer that ignores locks may have changed it since: the end is where we looked, or
    // nowhere.
    const start = size - end.length;
    const isSame = copied(target, file, size, start + Buffer.byteLength(tail)) === size;
    if (isSame) writeSync(file, tail, start);
    return isSame;
  };
  return replace(held, target, isDurable, fill);
}

const pieceBytes = 64 * 1024;

/** Below this size a copy costs less than sharing. */
const sharedBytes = 512 * 1024;

/**
 * Each sharing can leave a document in one piece more, of which each costs the next: one that
 * grows past another multiple of this is copied, which makes it whole.
 */
const wholeBytes = 64 * 1024;

const mayShare = (size: number, grown: number): boolean =>
  size >= sharedBytes && Math.floor(size / wholeBytes) === Math.floor(grown / wholeBytes);

/**
 * Copies a document that should have this size, and will grow, to an open file, and counts the
 * bytes it had, as far as it was read. `copyFile` of Node never ends where another program shortens
 * it meanwhile, unless it only shares what is there.
 */
function copied(target: string, to: number, size: number, grown: number): number {
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, size + 1));
  const from = openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  let bytes = 0;
  try {
    if (mayShare(size, grown) && isShared(from, to)) return fstatSync(to).size;
    for (let count = -1; count !== 0 && bytes <= size; bytes += count) {
      count = readSync(from, piece, 0, piece.length, null);
      writeFileSync(to, piece.subarray(0, count));
    }
    return bytes;
  } finally {
    closeSync(from);
  }
}

/**
 * Lets an open file share all that another holds, in one step and whatever its size; false where
 * the file system cannot, as ext4, or the system names no open files, as any but Linux.
 */
function isShared(from: number, to: number): boolean {
  const [source, copy] = [`/proc/self/fd/${from}`, `/proc/self/fd/${to}`];
  return attempt(() => copyFileSync(source, copy, constants.COPYFILE_FICLONE_FORCE) ?? true) ?? false;
}

/**
 * Begins a document with this text where there is none, without a lock: a second name for a file
 * that is whole is given at once, and never in the place of another. Where that
 * cannot be done there is none until the first entry, whose writer says what is wrong.
 */
export function beginDocument(target: string, text: string): void {
  if (isPresent(target)) return;
  assertOwn(dirname(target));
  const temporary = temporaryOf(target, randomInt(2 ** 32));
  try {
    attempt(() => {
      writeFileSync(temporary, text, { flag: "wx", mode: newMode });
      linkSync(temporary, target);
    });
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Takes a document away for good. */
export function removeDocument(held: Held, path: string, isDurable = false): void {
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

/**
 * Removes a directory that was put aside, with its contents; a process that looked before may still
 * be putting a lock there.
 */
export function removeDirectory(directory: string): void {
  for (let attempt = 1; isPresent(directory); attempt += 1) {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch (error) {
      if (codeOf(error) !== "ENOTEMPTY" || attempt === 10) throw error;
    }
  }
}

/**
 * A new document is readable by its owner only; one that replaces a file keeps the mode of that
 * file.
 */
const newMode = 0o600;

/**
 * Renames the temporary file over the target, with the target's mode, once it is made and filled;
 * false, and nothing changed, when filling it says so.
 */
function replace(
  held: Held,
  target: string,
  isDurable: boolean,
  fill: (file: number) => unknown,
  modeOfNew = newMode,
): boolean {
  assertOwn(dirname(target));
  const temporary = held.temporaryFor(target);
  assertGiven("temporaryFor", { temporary }, { temporary: "path" });
  let file: number | undefined;
  let isReplaced = false;
  try {
    const before = lookAt(target);
    const mode = before?.isFile() ? before.mode & 0o777 : modeOfNew;
    // A dead holder may have left a file, or another program a link: the file is created
    // exclusively.
    if (isPresent(temporary)) rmSync(temporary);
    file = openSync(temporary, "wx", modeOfNew);
    if (fill(file) === false) return false;
    fchmodSync(file, mode);
    if (isDurable) fdatasyncSync(file);
    held.assertHeld();
    renameSync(temporary, target);
    isReplaced = true;
  } catch (error) {
    if (isTroupeError(error)) throw error;
    // A process that took the lock over has removed the temporary file.
    held.assertHeld();
    const isGone = codeOf(error) === "ENOENT";
    const reason = isGone ? "what was prepared for it is gone, try again" : (error as Error).message;
    const message = `${target} cannot be written and is as it was: ${reason}`;
    throw new TroupeError(isGone ? "lock_lost" : "document_unwritable", message, { path: target }, error);
  } finally {
    if (file !== undefined) closeSync(file);
    if (!isReplaced) rmSync(temporary, { force: true });
  }
  if (isDurable) syncDirectory(dirname(target));
  return true;
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
