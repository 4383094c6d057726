import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Revision } from "@troupe/protocol";
import { type Running, type Surroundings, start } from "./processes.ts";

type Files = Readonly<Record<string, string>>;

/** The lines of a team's history tell of what was done, and do none of it. */
const isHistory = (path: string): boolean => /^troupe\/teams\/.*\/events-\d+\.ndjson$/.test(path);

/**
 * Every file below a directory with its bytes, but no history and no task that says itself that it
 * is deleted; and what the killed leave.
 */
export function look(root: string): { files: Files; leftovers: string[] } {
  const paths = (readdirSync(root, { recursive: true }) as string[]).sort();
  const isLeftover = (path: string) => /\.json\.|\.lock\.|\.highwatermark\.|\.deleted-|\/tasks\./.test(path);
  const isFile = (path: string) => statSync(join(root, path)).isFile();
  const isTombstone = ([path, text]: [string, string]) =>
    path.endsWith(".json") && JSON.parse(text).status === "deleted";
  const files = paths
    .filter((path) => !isLeftover(path) && !isHistory(path) && isFile(path))
    .map((path): [string, string] => [path, readFileSync(join(root, path), "utf8")]);
  return {
    files: Object.fromEntries(files.filter((file) => !isTombstone(file))),
    leftovers: paths.filter(isLeftover),
  };
}

/** The paths of files that are not the same here and there. */
export const differing = (here: Files, there: Files): string[] =>
  Object.keys({ ...here, ...there }).filter((path) => here[path] !== there[path]);

export interface Scene {
  readonly root: string;
  readonly revision: Revision;
  readonly operation: string;
  readonly staleMs: number;
  readonly isDurable?: boolean;
  /** The member that the process becomes before it begins. */
  readonly uid?: number;
}

/** Has a process do one operation of operations.mjs. */
export const startOne = (scene: Scene, surroundings: Surroundings = {}): Running =>
  start("one-operation.mjs", scene, surroundings);

/** The outcome of the operation of a process. */
export const endIn = (said: readonly string[]): string => said.find((line) => !line.startsWith("stopped ")) ?? "";

export interface Call {
  readonly name: string;
  readonly isChange: boolean;
}
