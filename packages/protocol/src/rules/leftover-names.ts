import { isTeamName } from "../names.ts";

/** Where the holder of a lock prepares what it publishes: `mark` tells it from every other holder of the same lock. */
export const temporaryOf = (file: string, mark: number): string =>
  `${file}.tmp.${(mark >>> 0).toString(16).padStart(8, "0")}`;

/** What stands beside a document while it is written, by its name: a lock, the guard of who breaks that, a temporary file of any known make. */
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
