import { lstatSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { namesIn } from "../reader/root.ts";

/** The text of every file below a root, by its path. */
export type Memory = ReadonlyMap<string, string>;

/** Locks and temporary files come and go beside what is judged. */
const isPassing = (name: string): boolean => /\.lock$|\.tmp\b|\.break$/.test(name);

export function remember(root: string): Memory {
  return new Map(filesBelow(root).map((path) => [relative(root, path), readFileSync(path, "base64")]));
}

/** Changes since the memory, below these paths. */
export function changedSince(
  memory: Memory,
  root: string,
  paths: readonly string[],
): readonly { readonly path: string; readonly before?: string; readonly after?: string }[] {
  const now = remember(root);
  const isMeant = (path: string) => paths.some((one) => one === "." || path === one || path.startsWith(`${one}/`));
  return [...new Set([...memory.keys(), ...now.keys()])]
    .filter((path) => isMeant(path) && memory.get(path) !== now.get(path))
    .map((path) => {
      const [before, after] = [memory.get(path), now.get(path)].map(decoded);
      return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
    });
}

const decoded = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");

const filesBelow = (directory: string): readonly string[] =>
  namesIn(directory).flatMap((name) => {
    if (isPassing(name)) return [];
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return filesBelow(path);
    return found?.isFile() ? [path] : [];
  });
