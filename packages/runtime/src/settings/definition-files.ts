import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { faultOf, readGiven } from "../given-file.ts";

/** A fault of a definition, and its place. */
export interface DefinitionFault {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

/** Something that should be a definition's file and cannot be read, and why. */
export interface UnreadableFile {
  readonly file: string;
  readonly fault: string;
}

const maxEntries = 5_000;
const maxBytes = 1024 * 1024;

/**
 * The Markdown files of a directory and of those in it, in the order of their paths. Links are
 * followed and no directory is entered twice; the nearest come first and their number is bounded,
 * since a link in a clone can lead to the whole disk.
 */
export function definitionFiles(directory: string): {
  readonly files: readonly string[];
  readonly unreadable: readonly UnreadableFile[];
} {
  const files: string[] = [];
  const unreadable: UnreadableFile[] = [];
  const entered = new Set<string>();
  const open = [directory];
  let left = maxEntries;
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    for (const path of entriesOf(at)) {
      left -= 1;
      if (left < 0) {
        unreadable.push({ file: directory, fault: `there are more than ${maxEntries} entries below it` });
        return { files: files.sort(), unreadable };
      }
      look(path);
    }
  }
  return { files: files.sort(), unreadable };

  function entriesOf(at: string): readonly string[] {
    try {
      const real = realpathSync(at);
      if (entered.has(real)) return [];
      entered.add(real);
      return readdirSync(at)
        .sort()
        .map((name) => join(at, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") unreadable.push({ file: at, fault: faultOf(error) });
      return [];
    }
  }

  function look(path: string): void {
    try {
      const found = statSync(path);
      if (found.isDirectory()) open.push(path);
      else if (path.endsWith(".md") && found.isFile()) files.push(path);
      else if (path.endsWith(".md")) unreadable.push({ file: path, fault: "it is not a file" });
    } catch (error) {
      if (path.endsWith(".md")) unreadable.push({ file: path, fault: faultOf(error) });
    }
  }
}

/** The text of a definition, or why there is none. */
export function definitionText(file: string): { readonly text: string } | UnreadableFile {
  const given = readGiven(file, maxBytes);
  return "bytes" in given ? { text: Buffer.from(given.bytes).toString() } : { file, fault: given.fault };
}
