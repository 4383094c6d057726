import { TroupeError } from "@troupe/protocol";
import type { Git, GitEnd, GitMore } from "./git.ts";
import type { Repository } from "./repository.ts";

/** The directory of a worktree that exists or will be created. */
export interface WorktreeLocation {
  readonly repository: Repository;
  readonly path: string;
  readonly branch: string;
}

export interface Worktree extends WorktreeLocation {
  /** The directory in which git keeps its data about the worktree. */
  readonly directory: string;
}

export type Commands = (args: readonly string[], signal?: AbortSignal, more?: GitMore) => Promise<GitEnd>;

/** Commands about the repository as a whole. */
export const inRepository =
  (git: Git, { root, common }: Repository): Commands =>
  (args, signal, more) =>
    git(root, ["--git-dir", common, ...args], signal, more);

/**
 * Runs git inside a worktree. Its `.git` file is not asked for the repository, since an agent that
 * worked there may have changed it.
 */
export const inWorktree =
  (git: Git, { path, directory }: Worktree): Commands =>
  (args, signal, more) =>
    git(path, ["--git-dir", directory, "--work-tree", path, ...args], signal, more);

/** The output of a command; throws with git's own words when the command failed. */
export function printed({ isFine, stdout, words }: GitEnd, { path }: WorktreeLocation): string {
  if (isFine) return stdout.trim();
  throw new TroupeError("document_unwritable", `the worktree ${path} cannot be used: ${words}`, { path });
}
