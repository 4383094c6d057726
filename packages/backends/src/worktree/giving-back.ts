import { inRepository, inWorktree, type Worktree } from "./commands.ts";
import { type Git, patiently } from "./git.ts";
import { base } from "./making.ts";

/**
 * Removes a worktree and its branch if nothing was changed in it; in every other or unknown state
 * it stays.
 */
export async function giveBack(git: Git, worktree: Worktree): Promise<{ readonly isKept: boolean }> {
  const { repository, path, branch } = worktree;
  const run = inRepository(git, repository);
  const commit = await commitIfNoneFollowed(git, worktree);
  await patiently(() => run(["worktree", "unlock", path]));
  if (commit === undefined) return { isKept: true };
  // Without force git refuses when a file was changed or added.
  const removed = await patiently(() => run(["worktree", "remove", path]));
  if (!removed.isFine) return { isKept: true };
  await patiently(() => run(["update-ref", "-d", `refs/heads/${branch}`, commit]));
  return { isKept: false };
}

/** The commit of the branch, if neither it nor what is checked out goes beyond the beginning. */
async function commitIfNoneFollowed(git: Git, worktree: Worktree): Promise<string | undefined> {
  const run = inWorktree(git, worktree);
  const tip = await run(["rev-parse", "--verify", `refs/heads/${worktree.branch}`]);
  if (!tip.isFine) return undefined;
  const commit = tip.stdout.trim();
  const beyond = await run(["rev-list", "--max-count=1", "HEAD", commit, "--not", base]);
  return beyond.isFine && beyond.stdout === "" ? commit : undefined;
}
