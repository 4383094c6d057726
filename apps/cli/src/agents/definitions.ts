import { relative, resolve } from "node:path";
import type { Revision } from "@troupe/protocol";
import { type DefinitionPlaces, type FoundDefinition, findDefinitions, openTrust } from "@troupe/runtime";
import { readNamedFile } from "@troupe/store/files";
import type { Call } from "../command.ts";

/** Where definitions are looked for from a directory, those of the command line among them. */
export function placesOf(
  { root, cwd }: Pick<Call, "root" | "cwd">,
  { revision = "2026-02", agents }: { readonly revision?: Revision | undefined; readonly agents?: string | undefined },
): DefinitionPlaces {
  const whole = resolve(cwd, root);
  const isTrusted = openTrust(whole).isTrusted(cwd);
  return { root: whole, cwd, isTrusted, revision, ...(agents !== undefined && { flag: agents }) };
}

/** Returns every definition usable from a directory, the nearest first. */
export const definitionsFrom = (
  call: Pick<Call, "root" | "cwd">,
  options: Parameters<typeof placesOf>[1] = {},
): readonly FoundDefinition[] => findDefinitions(placesOf(call, options));

/** Reads the text of a definition; bytes that are not UTF-8 are replaced. */
export const textOf = (file: string): string => Buffer.from(readNamedFile(file)).toString();

/** Returns a path relative to the directory if it lies below it, else the whole path. */
export function shown(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}
