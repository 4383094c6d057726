import { basename, dirname } from "node:path";
import { worktree as pathOf } from "@troupe/protocol";
import { changesIn } from "./changes.ts";
import { inRepository, printed, type Worktree, type WorktreeLocation } from "./commands.ts";
import type { Git } from "./git.ts";
import { isLeftBehind } from "./lock-reason.ts";
import { gitDirectoryOf, lockOf, type Repository } from "./repository.ts";

/** The worktree of an agent, and what was done in it. */
export interface WorktreeState {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  /**
   * `used`: an agent works there. `clean`: nothing is in it that is not elsewhere. `unknown`: it
   * cannot be told, so it is left alone.
   */
  readonly state: "used" | "clean" | "changed" | "unknown";
  /** What was done there, or why that is unknown. */
  readonly changes: readonly string[];
  readonly isRemoved: boolean;
}

/** The worktrees below `.claude/worktrees` that git knows. */
export async function listed(git: Git, repository: Repository, signal: AbortSignal): Promise<readonly WorktreeState[]> {
  const shown = await inRepository(git, repository)(["worktree", "list", "--porcelain", "-z"], signal);
  const above = dirname(pathOf(repository.root, "x"));
  const known = printed(shown, locationOf(repository, repository.root)).matchAll(/(?<=^|\0)worktree ([^\0]*)/g);
  const paths = [...known].map(([, path = ""]) => path).filter((path) => dirname(path) === above);
  return Promise.all(paths.map((path) => stateOf(git, repository, path)));
}

/** A worktree by its path; undefined where it is gone or its pointer leads elsewhere. */
export function worktreeAt(repository: Repository, path: string): Worktree | undefined {
  const directory = gitDirectoryOf(path, repository.common);
  return directory === undefined ? undefined : { ...locationOf(repository, path), directory };
}

const locationOf = (repository: Repository, path: string): WorktreeLocation => ({
  repository,
  path,
  branch: `worktree-${basename(path)}`,
});

async function stateOf(git: Git, repository: Repository, path: string): Promise<WorktreeState> {
  const worktree = worktreeAt(repository, path);
  const { branch } = locationOf(repository, path);
  const one = (state: WorktreeState["state"], changes: readonly string[] = []): WorktreeState => ({
    name: basename(path),
    path,
    branch,
    state,
    changes,
    isRemoved: false,
  });
  if (!worktree)
    return one("unknown", ["its directory is gone or points elsewhere: run git worktree prune or git worktree repair"]);
  const held = lockOf(worktree.directory);
  const isLeft = held === undefined || (await isLeftBehind(held));
  if (isLeft === undefined) return one("unknown", [`somebody else locked it (${held || "no reason given"})`]);
  if (!isLeft) return one("used");
  const changes = await changesIn(git, worktree, true);
  return one(changes.length === 0 ? "clean" : "changed", changes);
}
