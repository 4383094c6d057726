import { isTeamName } from "../names.ts";

/**
 * The temporary file of a lock holder: `mark` tells it from every other holder of the same lock.
 */
export const temporaryOf = (file: string, mark: number): string =>
  `${file}.tmp.${(mark >>> 0).toString(16).padStart(8, "0")}`;

/**
 * Reads the name of a leftover: a lock, the guard for breaking it, or a temporary file of any known
 * writer.
 */
export function leftoverOf(
  name: string,
): { readonly kind: "lock" | "temporary"; readonly document: string } | undefined {
  const [, document, ending] = /^(.+?)(\.lock|\.lock\.break|\.tmp\.[0-9a-f]{8})$/.exec(name) ?? [];
  if (document === undefined || ending === undefined) return undefined;
  return { kind: ending.startsWith(".lock") ? "lock" : "temporary", document };
}

/** The team whose directory was put aside under this name, to be removed. */
export function removedTeamOf(name: string): string | undefined {
  const [, team = ""] = /^(.+)\.deleted-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name) ?? [];
  return isTeamName(team) ? team : undefined;
}
