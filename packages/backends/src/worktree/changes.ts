import { lstatSync } from "node:fs";
import { join } from "node:path";
import { inWorktree, type Worktree } from "./commands.ts";
import type { Git } from "./git.ts";
import { base } from "./making.ts";

/** Branches on which agents worked: their commits are not safe there, since they go as well. */
const ofAgents = "worktree-*";

/**
 * What was done in a worktree since it began, in words, and what cannot be told; empty where
 * nothing was. With `isMerged`, commits that are on another branch or tag as well do not count.
 */
export async function changesIn(git: Git, worktree: Worktree, isMerged = false): Promise<readonly string[]> {
  const run = inWorktree(git, worktree);
  const tip = await run(["rev-parse", "--verify", `refs/heads/${worktree.branch}`]);
  if (!tip.isFine) return [`its branch ${worktree.branch} is gone`];
  const elsewhere = isMerged ? [`--exclude=${ofAgents}`, "--branches", "--tags", "--remotes"] : [];
  const commits = await run(["rev-list", "--count", "HEAD", tip.stdout.trim(), "--not", base, ...elsewhere]);
  if (!commits.isFine) return [`where it began is not known (${commits.words})`];
  // Git would run what the configuration of a submodule names if it looked into one.
  const looked = ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty"];
  const [status, index] = [await run(looked), await run(["ls-files", "-v", "--stage", "-z"])];
  if (!status.isFine || !index.isFine)
    return [`its files cannot be compared (${(status.isFine ? index : status).words})`];
  const states = entriesOf(status.stdout);
  const fresh = states.filter((line) => line.startsWith("??")).length;
  const hidden = [...hiddenIn(index.stdout)];
  return [
    ...counted(Number(commits.stdout), "commit"),
    ...counted(states.length - fresh, "changed file"),
    ...counted(fresh, "new file or directory", "new files or directories"),
    ...counted(hidden.length, "file that git was told not to look at", "files that git was told not to look at"),
    ...[...linksIn(index.stdout)]
      .filter((name) => lstatSync(join(worktree.path, name, ".git"), { throwIfNoEntry: false }))
      .map((name) => `a repository of its own in ${name}`),
  ];
}

const entriesOf = (output: string): readonly string[] => output.split("\0").filter((line) => line !== "");

const counted = (count: number, one: string, many = `${one}s`): readonly string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];

/** Entries of the index by which `git status` is told to assume that a file was not changed. */
const hiddenIn = (index: string): Iterable<unknown> => index.matchAll(/(?<=^|\0)[a-z] /g);

/** The places of submodules. */
function* linksIn(index: string): Generator<string> {
  for (const [, name = ""] of index.matchAll(/(?<=^|\0)\S 160000 \S+ \d\t([^\0]*)/g)) yield name;
}
