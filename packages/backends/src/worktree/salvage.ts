import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { TroupeError } from "@troupe/protocol";
import { inWorktree, printed, type Worktree } from "./commands.ts";
import type { Git, GitMore } from "./git.ts";
import { type Found, filesIn } from "./whole-tree.ts";

/** References to what was in worktrees that were removed by force. */
const salvages = "refs/troupe/salvage";

/** Git refuses some names that another system could not check out. */
const anyName = ["core.protectNTFS=false", "core.protectHFS=false", "core.quotePath=true"];
const identity = ["user.name=Troupe", "user.email=troupe@localhost"];
const set = (values: readonly string[]) => values.flatMap((value) => ["-c", value]);

/** Where all of a worktree stands. */
interface Salvaged {
  readonly ref: string;
  /** The commit of its branch. */
  readonly tip: string | undefined;
}

/**
 * Writes all that a worktree holds into a reference: every file byte for byte, ignored ones too,
 * what was staged, and every commit that was made there. Nothing that the repository names runs.
 * Throws where anything of it cannot be kept.
 */
export async function salvage(git: Git, worktree: Worktree, signal: AbortSignal): Promise<Salvaged> {
  const { path, branch, directory } = worktree;
  const scratch = mkdtempSync(join(directory, "salvage-"));
  const inTree = inWorktree(git, worktree);
  try {
    // Not from the index itself: git writes it anew then, and may run filters for that.
    const staged = await treeOf("staged", unconflicted(await run(["ls-files", "--stage"])));
    const files = filesIn(path);
    const whole = await treeOf("whole", await entriesOf(files));
    if (statesOf(filesIn(path)) !== statesOf(files))
      throw new TroupeError("document_unwritable", `something writes in ${path}: end it, then retry`, { path });
    const [head] = await found("rev-parse", "--verify", "HEAD^{commit}");
    const ofBranch = `refs/heads/${branch}`;
    const refs = await run([
      "for-each-ref",
      "--format=%(refname) %(objectname)",
      ofBranch,
      "refs/worktree",
      "refs/bisect",
    ]);
    const commits = new Map(refs.split("\n").map((line) => line.split(" ") as [string, string]));
    const tip = commits.get(ofBranch);
    const reached = [...commits.values(), ...(await found("rev-list", "--walk-reflogs", "HEAD"))];
    const made = new Set(reached.filter((one) => one !== undefined && one !== head));
    const index = await commitOf(staged, head === undefined ? [] : [head], "what was staged");
    const apart = made.size === 0 ? [] : await found("merge-base", "--independent", ...made);
    const commit = await commitOf(whole, [...new Set([head ?? [], index, apart].flat())], `all that was in ${path}`);
    const ref = `${salvages}/${basename(path)}/${commit.slice(0, 12)}`;
    await run(["update-ref", ref, commit]);
    return { ref, tip };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }

  async function run(args: readonly string[], more?: GitMore): Promise<string> {
    return printed(await inTree([...set([...anyName, ...identity]), ...args], signal, more), worktree);
  }

  /** The lines of a command that may find nothing. */
  async function found(...args: string[]): Promise<readonly string[]> {
    const { isFine, stdout } = await inTree(args, signal);
    return isFine ? stdout.split("\n").filter((line) => line !== "") : [];
  }

  async function treeOf(name: string, input: string): Promise<string> {
    const index = join(scratch, name);
    await run(["update-index", "--index-info"], { input, index });
    return run(["write-tree"], { index });
  }

  function commitOf(tree: string, parents: readonly string[], message: string): Promise<string> {
    return run(["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-m", message]);
  }

  /** Without the filters of the repository, which change bytes and may run anything. */
  async function entriesOf(files: readonly Found[]): Promise<string> {
    const input = files.map(({ name, link }, index) => `${link === undefined ? name : textOf(link, index)}\n`).join("");
    const hashes = (await run(["hash-object", "-w", "--no-filters", "--stdin-paths"], { input })).split("\n");
    return files.map(({ mode, name }, index) => `${mode} ${hashes[index]}\t${name}\n`).join("");
  }

  /** A file with the text of a link: git would follow the link itself. */
  function textOf(link: Uint8Array, index: number): string {
    const file = join(scratch, `${index}`);
    writeFileSync(file, link);
    return file;
  }
}

const statesOf = (files: readonly Found[]): string => files.map(({ state }) => state).join("\n");

/** The sides of a conflict as files of their own, since no tree holds several of one name. */
const unconflicted = (entries: string): string =>
  entries === "" ? "" : `${entries.replace(/^(\S+ \S+) ([123])\t("?)/gm, "$1 0\t$3conflict-$2/")}\n`;
