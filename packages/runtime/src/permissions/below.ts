import { readdirSync } from "node:fs";

/** One thing that lies below a directory. */
export interface Entry {
  readonly path: string;
  readonly name: string;
  readonly isLink: boolean;
}

/** So many are looked at while a command is judged: a tenth of a second. */
const most = 10_000;

/**
 * Everything below a directory, links not followed; undefined where there is too much, or a name
 * that is not text.
 */
export function entriesBelow(directory: string): readonly Entry[] | undefined {
  const found: Entry[] = [];
  const open = [directory];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of listed(at)) {
      // A name that is not UTF-8 is read as this sign, and could be any name.
      if (found.length >= most || entry.name.includes("\ufffd")) return undefined;
      const path = `${at}/${entry.name}`;
      found.push({ path, name: entry.name, isLink: entry.isSymbolicLink() });
      if (entry.isDirectory()) open.push(path);
    }
  }
  return found;
}

function listed(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
