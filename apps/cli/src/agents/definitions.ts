import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { layoutOf } from "@troupe/protocol";
import { type ParsedDefinition, parseAgentDefinition } from "@troupe/protocol/agent";
import type { Call } from "../command.ts";

/** A definition's file. */
export interface DefinitionFile extends ParsedDefinition {
  /** As it is shown: from here, if it is near. */
  readonly path: string;
  readonly text: string;
  readonly scope: "project" | "user";
  /** No other of its name is nearer. */
  readonly isUsed: boolean;
}

/** Every definition that can be found from here, the nearest first. */
export function findDefinitions({ root, cwd }: Pick<Call, "root" | "cwd">): DefinitionFile[] {
  const places = [
    ...upwards(cwd).map((directory) => ({ scope: "project" as const, directory: join(directory, ".claude/agents") })),
    { scope: "user" as const, directory: resolve(cwd, layoutOf(root).agents) },
  ];
  const names = new Set<string>();
  const files = new Set<string>();
  return places.flatMap(({ scope, directory }) =>
    filesIn(directory).flatMap((file) => {
      if (files.has(file)) return [];
      files.add(file);
      const text = readFileSync(file, "utf8");
      const read = parseAgentDefinition(text);
      const name = read.definition?.name;
      const isUsed = name !== undefined && !names.has(name);
      if (name !== undefined) names.add(name);
      return [{ ...read, path: shown(cwd, file), text, scope, isUsed }];
    }),
  );
}

/** The definitions' files of a directory and those in it, in order; a file is itself. Throws where there is neither. */
export const filesAt = (path: string): string[] => (statSync(path).isDirectory() ? filesIn(path) : [path]);

/** A path from here if it leads down, else the whole. */
export function shown(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}

const filesIn = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : [];

/** This directory and those above it, up to the one of the repository; this one alone outside of any. */
function upwards(cwd: string): string[] {
  const directories: string[] = [];
  for (let directory = cwd; ; directory = dirname(directory)) {
    directories.push(directory);
    if (existsSync(join(directory, ".git"))) return directories;
    if (directory === dirname(directory)) return [cwd];
  }
}
