import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TroupeError } from "@troupe/protocol";
import { inRepository, inWorktree, printed, type Worktree, type WorktreeLocation } from "./commands.ts";
import { type Git, isBusy, patiently } from "./git.ts";
import { isLeftBehind, lockReason } from "./lock-reason.ts";
import { gitDirectoryOf, lockOf } from "./repository.ts";

/** The commit a worktree began with, in a reference that git removes with it. */
export const base = "refs/worktree/base";

/** The number of retries when a git lock is held by a process whose caller died, or by none. */
const orphanTries = 15;

/** Makes a worktree of a commit; what cannot be made whole is taken away again. */
export async function make(git: Git, place: WorktreeLocation, head: string, signal: AbortSignal): Promise<Worktree> {
  const { repository, path, branch } = place;
  const run = inRepository(git, repository);
  let isNew = true;
  const added = await patiently(async () => {
    const left = await branchLeft(place, git, signal);
    isNew = left === undefined || (await run(["merge-base", "--is-ancestor", left, head], signal)).isFine;
    if (isNew && left) await run(["update-ref", "-d", `refs/heads/${branch}`, left]);
    const what = isNew ? ["-b", branch, path, head] : [path, branch];
    // Two --force replace a worktree whose directory was deleted; git never overwrites a directory
    // that has entries.
    return run(["worktree", "add", "--force", "--force", "--no-checkout", ...what], signal);
  }, signal);
  printed(added, place);
  const directory = gitDirectoryOf(path, repository.common);
  if (!directory) throw new TroupeError("document_unwritable", `git created no worktree at ${path}`, { path });
  const worktree = { ...place, directory };
  try {
    await fill(git, worktree, head, signal);
    return worktree;
  } catch (error) {
    await run(["worktree", "remove", "--force", "--force", path]);
    if (isNew) await run(["update-ref", "-d", `refs/heads/${branch}`, head]);
    throw error;
  }
}

/**
 * Records the base commit and checks the files out. The worktree is locked first, so that nothing
 * prunes it while it is unfinished.
 */
export async function fill(git: Git, worktree: Worktree, head: string, signal: AbortSignal): Promise<void> {
  printed(await inWorktree(git, worktree)(["update-ref", base, head], signal), worktree);
  const reset = () => inWorktree(git, worktree)(["reset", "--hard", "--quiet", "--no-recurse-submodules"], signal);
  await lock(git, worktree);
  const end = await patiently(reset, signal, orphanTries);
  if (!isBusy(end)) return void printed(end, worktree);
  rmSync(join(worktree.directory, "index.lock"), { force: true });
  printed(await patiently(reset, signal), worktree);
}

/** The commit that a worktree began with; undefined for one that somebody else made. */
export function baseOf(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, base), "utf8").trim();
  } catch {
    return undefined;
  }
}

/**
 * Marks it as in use by this process; throws where another one uses it. A lock of somebody else
 * stays as it is.
 */
export async function lock(git: Git, { repository, path, directory }: Worktree): Promise<void> {
  const held = lockOf(directory);
  const isLeft = held === undefined || (await isLeftBehind(held));
  if (isLeft === undefined || held === (await lockReason())) return;
  if (!isLeft)
    throw new TroupeError(
      "name_taken",
      `${held}: use another name, or end that process; if it has ended, run "git worktree unlock ${path}"`,
      { path },
    );
  if (held !== undefined) await patiently(() => inRepository(git, repository)(["worktree", "unlock", path]));
  const reason = await lockReason();
  await patiently(() => inRepository(git, repository)(["worktree", "lock", "--reason", reason, path]));
}

/** The commit of a branch from before; it must not be checked out elsewhere. */
async function branchLeft(place: WorktreeLocation, git: Git, signal: AbortSignal): Promise<string | undefined> {
  const { repository, path, branch } = place;
  const name = `refs/heads/${branch}`;
  const format = "--format=%(refname) %(objectname) %(worktreepath)";
  const asked = () => inRepository(git, repository)(["for-each-ref", format, name], signal);
  const refs = printed(await patiently(asked, signal), place);
  const [, commit, ...at] =
    refs
      .split("\n")
      .map((line) => line.split(" "))
      .find(([ref]) => ref === name) ?? [];
  const elsewhere = at.join(" ");
  if (elsewhere === "" || elsewhere === path) return commit;
  throw new TroupeError("name_taken", `the branch ${branch} is checked out at ${elsewhere}: use another name`, {
    path,
  });
}
