import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Revision } from "@troupe/protocol";
import { definitionFiles, type FoundDefinition, findDefinitions, openTrust } from "@troupe/runtime";
import type { Call } from "../command.ts";

/** Every definition that can be found from here, the nearest first. */
export function definitionsFrom(
  { root, cwd }: Pick<Call, "root" | "cwd">,
  revision: Revision = "2026-02",
): readonly FoundDefinition[] {
  const whole = resolve(cwd, root);
  return findDefinitions({ root: whole, cwd, isTrusted: openTrust(whole).isTrusted(cwd), revision });
}

/** The definitions' files of a directory and those in it, in order; a file is itself. Throws where there is neither. */
export const filesAt = (path: string): readonly string[] =>
  statSync(path).isDirectory() ? definitionFiles(path).files : [path];

/** A path from here if it leads down, else the whole. */
export function shown(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}
