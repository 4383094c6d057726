import { changesIn } from "./changes.ts";
import { inRepository, inWorktree, type Worktree } from "./commands.ts";
import { type Git, patiently } from "./git.ts";

/**
 * Says whether anything was changed in a worktree. One with changes is unlocked, since it stays; a
 * lock keeps others from one without until it is given back.
 */
export async function leave(git: Git, worktree: Worktree): Promise<{ readonly isChanged: boolean }> {
  const isChanged = (await changesIn(git, worktree)).length > 0;
  if (isChanged) await unlock(git, worktree);
  return { isChanged };
}

/**
 * Removes a worktree and its branch if nothing was changed in it; in every other or unknown state
 * it stays. With `isMerged`, commits that are on another branch or tag as well do not count.
 */
export async function giveBack(git: Git, worktree: Worktree, isMerged = false): Promise<{ readonly isKept: boolean }> {
  const changes = await changesIn(git, worktree, isMerged);
  const tip = await inWorktree(git, worktree)(["rev-parse", "--verify", `refs/heads/${worktree.branch}`]);
  await unlock(git, worktree);
  if (changes.length > 0 || !tip.isFine) return { isKept: true };
  // Without force git refuses when a file was changed or added meanwhile.
  return { isKept: !(await remove(git, worktree, tip.stdout.trim(), [])) };
}

/** Removes a worktree and, where it still stands at `tip`, its branch; false where git refuses. */
export async function remove(
  git: Git,
  { repository, path, branch }: Worktree,
  tip: string | undefined,
  force: readonly string[],
): Promise<boolean> {
  const run = inRepository(git, repository);
  const removed = await patiently(() => run(["worktree", "remove", ...force, path]));
  if (!removed.isFine) return false;
  if (tip) await patiently(() => run(["update-ref", "-d", `refs/heads/${branch}`, tip]));
  return true;
}

/** Marks it as no longer in use. */
export const unlock = (git: Git, { repository, path }: Worktree) =>
  patiently(() => inRepository(git, repository)(["worktree", "unlock", path]));
