import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { TroupeError } from "@troupe/protocol";
import { timeLimit } from "@troupe/store";
import { type Git, patiently } from "./git.ts";

export interface Repository {
  /** Below it lie the worktrees: the main working tree, also when it is asked from a linked one. */
  readonly root: string;
  /** The working tree that it was asked from. */
  readonly top: string;
  /** Git's own directory, the same for all working trees. */
  readonly common: string;
}

/** The repository of a directory, or an error that says why no worktree can be made there. */
export async function findRepository(git: Git, cwd: string, signal: AbortSignal): Promise<Repository> {
  const asked = ["--show-toplevel", "--git-common-dir", "--git-dir"];
  const { isFine, stdout, words } = await git(cwd, ["rev-parse", "--path-format=absolute", ...asked], signal);
  const [top, common, own, ...rest] = stdout.trimEnd().split("\n");
  if (!isFine || !top || !common || !own || rest.length > 0)
    throw new TroupeError(
      "arguments_invalid",
      `${cwd} is not in a git working tree, so no worktree can be created (${words}): continue without isolation, or run "git init" and commit`,
      { cwd },
    );
  if (own === common) return { root: top, top, common };
  if (gitDirectoryOf(top, common) !== own)
    throw new TroupeError(
      "path_escaping",
      `${top} says that it is a worktree of ${common}, which does not know it: run "git worktree repair" there if it was moved`,
      { cwd },
    );
  return { root: basename(common) === ".git" ? dirname(common) : top, top, common };
}

/** The commit that new worktrees start from: what is checked out where it was asked. */
export async function headOf(git: Git, { top }: Repository, signal: AbortSignal): Promise<string> {
  const { isFine, stdout } = await git(top, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], signal);
  if (isFine) return stdout.trim();
  throw new TroupeError("arguments_invalid", `${top} has no commit to start a worktree from: commit something first`, {
    repository: top,
  });
}

const dayMs = 24 * 60 * 60 * 1_000;
const fetchMs = 5_000;

/**
 * The newest commit of the main branch of `origin`, which is fetched where nothing was for a day;
 * undefined where that branch is not known. A fetch that fails or takes long changes nothing.
 */
export async function freshOf(
  git: Git,
  { top, common }: Repository,
  now: Date,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ref = "refs/remotes/origin/HEAD";
  const named = await git(top, ["symbolic-ref", "--quiet", ref], signal);
  if (!named.isFine) return undefined;
  const fetched = lstatSync(join(common, "FETCH_HEAD"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (now.getTime() - fetched > dayMs) {
    const branch = named.stdout.trim().replace("refs/remotes/origin/", "");
    const asked = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "origin", branch];
    const limit = AbortSignal.any([signal, timeLimit(fetchMs)]);
    await patiently(() => git(top, asked, limit), limit);
  }
  const { isFine, stdout } = await git(top, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], signal);
  return isFine ? stdout.trim() : undefined;
}

/**
 * The directory in which git keeps its data about one worktree; undefined unless that directory and
 * the worktree name each other.
 */
export function gitDirectoryOf(path: string, common: string): string | undefined {
  try {
    const directory = pointerIn(path);
    if (!directory || realpathSync(dirname(directory)) !== join(common, "worktrees")) return undefined;
    const back = resolve(directory, readFileSync(join(directory, "gitdir"), "utf8").trimEnd());
    return back === join(realpathSync(path), ".git") ? directory : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The text of the `.git` file of a worktree: empty when not yet written, undefined without such a
 * file.
 */
export function pointerIn(path: string): string | undefined {
  const file = join(path, ".git");
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  const named = readFileSync(file, "utf8")
    .replace(/^gitdir: /, "")
    .trimEnd();
  return named && resolve(path, named);
}

/** Why a worktree is locked; undefined where it is not. */
export function lockOf(directory: string): string | undefined {
  const file = join(directory, "locked");
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}
