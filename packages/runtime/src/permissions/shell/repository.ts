import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { isThere } from "../place.ts";

/**
 * A clone can bring a bare repository, in which git would run what its settings say: it must find
 * the project's own first.
 */
export function isSameRepository(cwd: string, project: string): boolean {
  const found = repositoryOf(resolve(cwd));
  return found !== undefined && found === repositoryOf(resolve(project));
}

/**
 * The directory with the `.git` that git finds from here, "" without one; undefined where a
 * directory itself is one.
 */
export function repositoryOf(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    if (isThere(`${at}/HEAD`) && ["objects", "refs", "commondir"].some((name) => isThere(`${at}/${name}`)))
      return undefined;
    if (isThere(`${at}/.git`)) return at;
    if (at === dirname(at)) return "";
  }
}

/** Whether git keeps this file, as far as its index can be searched for the name. */
export function isTracked(path: string): boolean {
  const root = repositoryOf(dirname(path));
  if (!root) return true;
  try {
    const index = readFileSync(`${root}/.git/index`);
    // In its fourth version names are written in pieces.
    return index.readUInt32BE(4) > 3 || index.includes(`${relative(root, path)}\0`);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}
