import { lstatSync, mkdirSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { TroupeError } from "@troupe/protocol";

/** The root may be a link, as nothing below it may. */
export const rootOf = (root: string): string => unlessAbsent(() => realpathSync(root)) ?? root;

/** The stats of a path, of a link itself; undefined when there is nothing. */
export const lookAt = (path: string): Stats | undefined =>
  unlessAbsent(() => lstatSync(path, { throwIfNoEntry: false }));

/** The names in a directory; none where there is no such directory. */
export function namesIn(directory: string): string[] {
  assertOwn(directory);
  try {
    return unlessAbsent(() => readdirSync(directory)) ?? [];
  } catch (error) {
    const message = `${directory} cannot be read: ${(error as Error).message}`;
    throw new TroupeError("document_unreadable", message, { directory }, error);
  }
}

/**
 * Creates a directory for its owner only; false when it exists. Its parent must exist: a removed
 * team stays removed.
 */
export function makeDirectory(directory: string): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    assertOwn(directory);
    if (codeOf(error) === "EEXIST") return false;
    const message = `${directory} cannot be made: ${(error as Error).message}`;
    throw new TroupeError("document_unwritable", message, { directory }, error);
  }
}

/**
 * A link in place of a directory may lead anywhere: nothing is read, written, locked or removed
 * through one.
 */
export function assertOwn(directory: string): void {
  if (!lookAt(directory)?.isSymbolicLink()) return;
  throw new TroupeError("path_escaping", `${directory} is a link: put a directory in its place`, { directory });
}

/** The same of a directory that stands in `teams/` or `tasks/`, and of that one. */
export function assertOwnBoth(directory: string): void {
  assertOwn(dirname(directory));
  assertOwn(directory);
}

export const isPresent = (path: string): boolean => lookAt(path) !== undefined;

/**
 * Changes whenever something in the directory is made, replaced, locked or removed; equal to
 * nothing where there is none.
 */
export const changeOf = (directory: string): number => lookAt(directory)?.mtimeMs ?? Number.NaN;

export const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** Undefined for what is not there, also where a file stands in place of a directory above it. */
export function unlessAbsent<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The result, or undefined when it cannot be had: the caller that needs it reports why. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
