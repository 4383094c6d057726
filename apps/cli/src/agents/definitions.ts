import { relative, resolve } from "node:path";
import type { Revision } from "@troupe/protocol";
import { type FoundDefinition, findDefinitions, openTrust } from "@troupe/runtime";
import { readNamedFile } from "@troupe/store/files";
import type { Call } from "../command.ts";

/** Returns every definition usable from a directory, the nearest first. */
export function definitionsFrom(
  { root, cwd }: Pick<Call, "root" | "cwd">,
  revision: Revision = "2026-02",
): readonly FoundDefinition[] {
  const whole = resolve(cwd, root);
  return findDefinitions({ root: whole, cwd, isTrusted: openTrust(whole).isTrusted(cwd), revision });
}

/** Reads the text of a definition; bytes that are not UTF-8 are replaced. */
export const textOf = (file: string): string => Buffer.from(readNamedFile(file)).toString();

/** Returns a path relative to the directory if it lies below it, else the whole path. */
export function shown(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}
