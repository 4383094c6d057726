import { TroupeError } from "@troupe/protocol";
import type { Git, GitEnd } from "./git.ts";
import type { Repository } from "./repository.ts";

/** Where a worktree is, or will be. */
export interface Place {
  readonly repository: Repository;
  readonly path: string;
  readonly branch: string;
}

export interface Worktree extends Place {
  /** Where git keeps what belongs to it. */
  readonly directory: string;
}

export type Commands = (args: readonly string[], signal?: AbortSignal) => Promise<GitEnd>;

/** Commands about the repository as a whole. */
export const inRepository =
  (git: Git, { root, common }: Repository): Commands =>
  (args, signal) =>
    git(root, ["--git-dir", common, ...args], signal);

/** Commands inside a worktree. Its `.git` file is not asked where to, since whoever worked there can have changed it. */
export const inWorktree =
  (git: Git, { path, directory }: Worktree): Commands =>
  (args, signal) =>
    git(path, ["--git-dir", directory, "--work-tree", path, ...args], signal);

/** What a command printed; throws what git said where it failed. */
export function printed({ isFine, stdout, words }: GitEnd, { path }: Place): string {
  if (isFine) return stdout.trim();
  throw new TroupeError("document_unwritable", `the worktree ${path} cannot be used: ${words}`, { path });
}
