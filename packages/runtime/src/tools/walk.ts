import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Agent } from "../agent/agent.ts";
import type { HomeDeps } from "../agent/place.ts";
import type { Tool } from "../loop/tool.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { type IgnoreRule, isIgnored, rulesAbove, rulesIn } from "./ignore-rules.ts";

/** Dependencies of a search. */
export interface SearchDeps extends HomeDeps {
  /** By whose rules it is judged what a search may show. */
  readonly read: Tool<never>;
}

/** An agent as its searches must know it. */
export interface Searcher extends Pick<Agent, "cwd"> {
  readonly permissions: Pick<Permissions, "judge">;
}

/**
 * A file that must not be read, or not without a question of its own, must not be found by a search
 * either.
 */
export const whatIsSeen = ({ read: tool }: SearchDeps, { permissions }: Searcher): Required<WalkDeps> => ({
  maySee(path) {
    const { behavior, holds = false } = permissions.judge({ tool, input: { file_path: path } });
    return behavior === "allow" || (behavior === "ask" && !holds);
  },
});

export interface WalkDeps {
  /** False for what a search must not show, such as a file that may not be read. */
  readonly maySee?: (path: string) => boolean;
}

const histories = new Set([".git", ".hg", ".jj", ".svn"]);

/** How long a search may take; it then shows what it has. */
export const searchMs = 20_000;

/**
 * A file or a link below a directory; links are never followed, so the way neither leaves the
 * directory nor goes round.
 */
export interface Found {
  readonly path: string;
  readonly isLink: boolean;
}

/**
 * Goes through a directory by name, past what git ignores and what a directory cannot be asked for,
 * until the signal fires.
 */
export async function* walk(
  directory: string,
  { maySee = () => true }: WalkDeps,
  signal: AbortSignal,
  above: readonly IgnoreRule[] = rulesAbove(directory),
): AsyncGenerator<Found> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const rules = [...above, ...rulesIn(directory)];
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    if (signal.aborted) return;
    const path = join(directory, entry.name);
    const isDirectory = entry.isDirectory();
    if (isDirectory ? histories.has(entry.name) : !entry.isFile() && !entry.isSymbolicLink()) continue;
    if (isIgnored(rules, path, isDirectory) || !maySee(path)) continue;
    if (isDirectory) yield* walk(path, { maySee }, signal, rules);
    else yield { path, isLink: entry.isSymbolicLink() };
  }
}
