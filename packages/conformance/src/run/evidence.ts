import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const maxText = 1_000;
const maxFiles = 40;

/** The same with long texts cut, for people to read; a history keeps all its calls. */
export function clip(value: unknown): unknown {
  if (typeof value === "string" && value.length > maxText) {
    return `${value.slice(0, maxText)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.map(clip);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clip(inner)]));
}

/** The content of a root: each file with its text; directories end with a slash. */
export function snapshot(root: string): Readonly<Record<string, string>> {
  const found = below(root).slice(0, maxFiles);
  return Object.fromEntries(found.map((path) => [relative(root, path) + endOf(path), clip(textOf(path)) as string]));
}

const isDirectory = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

const endOf = (path: string): string => (isDirectory(path) ? "/" : "");

function below(directory: string): readonly string[] {
  return readdirSync(directory)
    .sort()
    .flatMap((name) => {
      const path = join(directory, name);
      return isDirectory(path) ? [path, ...below(path)] : [path];
    });
}

function textOf(path: string): string {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, "utf8") : "";
  } catch {
    return "(gone meanwhile)";
  }
}
