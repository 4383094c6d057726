import { isTroupeError, worktree as pathOf, TroupeError } from "@troupe/protocol";
import type { Worktree } from "./commands.ts";
import type { Git } from "./git.ts";
import { giveBack, remove, unlock } from "./giving-back.ts";
import { listed, type WorktreeState, worktreeAt } from "./listing.ts";
import { isLeftBehind } from "./lock-reason.ts";
import { lock } from "./making.ts";
import { lockOf, type Repository } from "./repository.ts";
import { salvage } from "./salvage.ts";

/**
 * Removes the worktrees that nobody works in and in which nothing is that is not elsewhere, one
 * after the other.
 */
export async function swept(git: Git, repository: Repository, signal: AbortSignal): Promise<readonly WorktreeState[]> {
  const found: WorktreeState[] = [];
  for (const one of await listed(git, repository, signal)) {
    const worktree = one.state === "clean" && !signal.aborted ? worktreeAt(repository, one.path) : undefined;
    found.push(worktree ? { ...one, isRemoved: await isTaken(git, worktree) } : one);
  }
  return found;
}

/** It is locked first, so that no agent begins in it meanwhile. */
async function isTaken(git: Git, worktree: Worktree): Promise<boolean> {
  try {
    await lock(git, worktree);
  } catch (error) {
    if (isTroupeError(error)) return false;
    throw error;
  }
  return !(await giveBack(git, worktree, true)).isKept;
}

/** Removes a worktree, and its branch, once all that is in it stands in a reference. */
export async function removeByForce(
  git: Git,
  repository: Repository,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly salvage: string }> {
  const path = pathOf(repository.root, name);
  const worktree = worktreeAt(repository, path);
  if (!worktree)
    throw new TroupeError(
      "arguments_invalid",
      `there is no worktree ${path}: "troupe worktree list" shows those there are`,
      { path },
    );
  await lock(git, worktree);
  const held = lockOf(worktree.directory);
  if (held !== undefined && (await isLeftBehind(held)) === undefined)
    throw new TroupeError(
      "arguments_invalid",
      `the worktree ${path} was locked by somebody else (${held || "no reason given"}): run "git worktree unlock ${path}" first`,
      { path },
    );
  try {
    const { ref, tip } = await salvage(git, worktree, signal);
    if (await remove(git, worktree, tip, ["--force", "--force"])) return { salvage: ref };
    throw new TroupeError(
      "document_unwritable",
      `git does not remove the worktree ${path}: look whether its files may be removed; all of them stand in ${ref}`,
      { path },
    );
  } catch (error) {
    await unlock(git, worktree);
    throw error;
  }
}
