import { relative, resolve } from "node:path";
import type { Revision } from "@troupe/protocol";
import { type DefinitionPlaces, type FoundDefinition, findDefinitions, openTrust } from "@troupe/runtime";
import { readNamedFile } from "@troupe/store/files";
import type { Call } from "../command.ts";
import type { GivenDefinitions } from "../session/given-definitions.ts";

/** Where definitions are looked for from a directory, those of the command line among them. */
export function placesOf(
  { root, cwd }: Pick<Call, "root" | "cwd">,
  revision: Revision = "2026-02",
  given: GivenDefinitions = {},
): DefinitionPlaces {
  const whole = resolve(cwd, root);
  const isTrusted = openTrust(whole).isTrusted(cwd);
  return { ...given, root: whole, cwd, isTrusted, revision };
}

/** Returns every definition usable from a directory, the nearest first. */
export const definitionsFrom = (
  call: Pick<Call, "root" | "cwd">,
  revision?: Revision,
  given?: GivenDefinitions,
): readonly FoundDefinition[] => findDefinitions(placesOf(call, revision, given));

/** Reads the text of a definition; bytes that are not UTF-8 are replaced. */
export const textOf = (file: string): string => Buffer.from(readNamedFile(file)).toString();

/** Returns a path relative to the directory if it lies below it, else the whole path. */
export function shown(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}
