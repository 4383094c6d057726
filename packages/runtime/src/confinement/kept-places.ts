import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { follow, isInside, sensitiveNames } from "../permissions/place.ts";

/** A large project is not looked through for every command: what lies near its top counts most. */
const mostDirectories = 500;

/** A directory that may be written, or something in it that may not. */
export interface Grant {
  readonly path: string;
  readonly isWritable: boolean;
}

/**
 * Places that may be written and places that may not, so ordered that the later one counts:
 * directories before what lies in them, and the command's own place for temporary files at the end.
 */
export function grantsFor(directories: readonly string[], temporary?: string): readonly Grant[] {
  const writable = directories.filter((path) => sensitiveNames(path).length === 0);
  const grants = [
    ...writable.map((path) => ({ path, isWritable: true })),
    ...keptPlaces(writable).map((path) => ({ path, isWritable: false })),
  ];
  grants.sort((one, other) => (one.path < other.path ? -1 : 1));
  const own = temporary === undefined ? undefined : follow(temporary);
  return own === undefined ? grants : [...grants, { path: own, isWritable: true }];
}

/**
 * The files and directories in there that make other programs run or trust something: edits of
 * these are asked about.
 */
function keptPlaces(writable: readonly string[]): readonly string[] {
  const directories = [...writable];
  const kept: string[] = [];
  for (let at = 0; at < Math.min(directories.length, mostDirectories); at += 1) {
    const directory = directories[at] ?? "";
    for (const entry of entriesOf(directory)) {
      const path = join(directory, entry.name);
      if (sensitiveNames(entry.name).length > 0) kept.push(...placeOf(entry, path, writable));
      else if (entry.isDirectory() && entry.name !== "node_modules") directories.push(path);
    }
  }
  return kept;
}

/** Nothing can be laid over a link, but over what it leads to. */
function placeOf(entry: Dirent, path: string, writable: readonly string[]): readonly string[] {
  if (!entry.isSymbolicLink()) return [path];
  const place = follow(path);
  return place !== undefined && isInside([place], writable) ? [place] : [];
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
