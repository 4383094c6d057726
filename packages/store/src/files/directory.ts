import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { TroupeError } from "@troupe/protocol";

/** The names in a directory; none where there is no such directory. */
export function namesIn(directory: string): string[] {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (!found) return [];
  assertOwn(directory);
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return [];
    throw error;
  }
}

/** Makes a directory for its owner alone; false where it is already. What it stands in must be there: a team that is gone stays gone. */
export function makeDirectory(directory: string): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    assertOwn(directory);
    if ((error as { code?: unknown }).code === "EEXIST") return false;
    throw new TroupeError(
      "document_unwritable",
      `${directory} cannot be made: ${(error as Error).message}`,
      { directory },
      error,
    );
  }
}

/** A link in place of a directory may lead anywhere: nothing is read, written, locked or removed through one. */
export function assertOwn(directory: string): void {
  if (!lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new TroupeError("path_escaping", `${directory} is a link: put a directory in its place`, { directory });
}

export const isPresent = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Changes whenever something in the directory is made, replaced, locked or removed; equal to nothing where there is none. */
export const changeOf = (directory: string): number =>
  lstatSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN;
