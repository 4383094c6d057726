import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, never, repository, scratch, worktreesOf, write } from "../../test/repositories.ts";

const branches = (root: string) => git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");
const locked = (root: string) => git(root, "worktree", "list", "--porcelain").includes("\nlocked");

test("[WT-06] [ATP-WT-001] a worktree lies below the root with files of its own and a pointer to git, wherever it was asked from", async () => {
  const root = repository({ "src/a.txt": "a\n" });
  const { path, branch } = await worktreesOf(join(root, "src")).open("agent-1", never);
  expect({ path, branch }).toEqual({ path: join(root, ".claude/worktrees/agent-1"), branch: "worktree-agent-1" });
  expect(lstatSync(join(path, ".git")).isFile()).toBe(true);
  write(path, { "src/a.txt": "b\n" });
  expect(readFileSync(join(root, "src/a.txt"), "utf8")).toBe("a\n");
  expect(git(path, "rev-parse", "--abbrev-ref", "HEAD")).toBe("worktree-agent-1");
  expect(git(path, "status", "--porcelain")).toBe(" M src/a.txt");
  expect(git(root, "status", "--porcelain")).toBe("");
});

test("[ATP-WT-003] [WT-04] a worktree without changes is locked while it is in use, and goes with its branch", async () => {
  const root = repository();
  const { path, release } = await worktreesOf(root).open("agent-1", never);
  expect(locked(root)).toBe(true);
  expect(await release()).toEqual({ isKept: false });
  expect(await release()).toEqual({ isKept: false });
  expect(existsSync(path)).toBe(false);
  expect(branches(root)).toEqual(["main"]);
  expect(git(root, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
});

const commit = (path: string) => git(path, "commit", "--quiet", "--allow-empty", "--message=second");
const checkOut = (path: string, ...what: string[]) => git(path, "checkout", "--quiet", ...what);

const deeds: readonly [string, ...((path: string) => void)[]][] = [
  ["a changed file", (path) => write(path, { "a.txt": "b\n" })],
  ["a new file", (path) => write(path, { "new/b.txt": "b\n" })],
  ["a deleted file", (path) => rmSync(join(path, "a.txt"))],
  ["something staged", (path) => git(path, "rm", "--quiet", "--cached", "a.txt")],
  ["a commit", commit],
  ["a commit on another branch", (path) => checkOut(path, "-b", "other"), commit],
  ["a commit on its branch and a HEAD without", commit, (path) => checkOut(path, "HEAD~1")],
  ["a commit on no branch", (path) => checkOut(path, "--detach"), commit],
  ["no branch", (path) => checkOut(path, "--detach"), (path) => git(path, "branch", "--quiet", "-D", "worktree-x")],
  ["no pointer", (path) => rmSync(join(path, ".git"))],
  ["a pointer to elsewhere", (path) => write(path, { ".git": "gitdir: /nonexistent\n" })],
  ["no directory", (path) => rmSync(path, { recursive: true })],
];

test.each(deeds)(
  "[ATP-WT-003] [WT-04] with %s a worktree stays, unlocked, and so does its branch",
  async (_, ...deeds) => {
    const root = repository();
    git(root, "config", "status.showUntrackedFiles", "no");
    const { path, release } = await worktreesOf(root).open("x", never);
    for (const deed of deeds) deed(path);
    const before = branches(root);
    expect(await release()).toEqual({ isKept: true });
    expect(locked(root)).toBe(false);
    expect(branches(root)).toEqual(before);
  },
);

test("a commit that was taken back is no change, and neither is one that others made meanwhile", async () => {
  const root = repository();
  const { path, release } = await worktreesOf(root).open("x", never);
  commit(path);
  git(path, "reset", "--quiet", "--hard", "HEAD~1");
  git(root, "commit", "--quiet", "--allow-empty", "--message=other");
  expect(await release()).toEqual({ isKept: false });
});

test("[WT-09] [ATP-WT-002] a name of two segments is one directory and one branch", async () => {
  const root = repository();
  const { path, branch } = await worktreesOf(root).open("user/feature", never);
  expect(path).toBe(join(root, ".claude/worktrees/user+feature"));
  expect(branch).toBe("worktree-user+feature");
});

test.each(["..", "../x", "/etc/x", "C:\\x", "a//b", "a/../b", "x".repeat(65), "", "a b", "a+b"])(
  "[WT-07] [WT-08] [ATP-WT-002] the name %j is refused before git is asked",
  async (name) => {
    await expect(worktreesOf("/nonexistent").open(name, never)).rejects.toMatchObject({ code: "name_invalid" });
  },
);

test("[WT-10] [ATP-WT-005] node_modules is a link to the repository's, which no commit takes and no removal follows", async () => {
  const root = repository({ ".gitignore": "node_modules/\n" });
  write(root, { "node_modules/one/index.js": "" });
  const { path, release } = await worktreesOf(root).open("x", never);
  expect(readlinkSync(join(path, "node_modules"))).toBe(join(root, "node_modules"));
  git(path, "add", "--all");
  expect(git(path, "status", "--porcelain")).toBe("");
  expect(await release()).toEqual({ isKept: false });
  expect(existsSync(join(root, "node_modules/one/index.js"))).toBe(true);
});

test("[WT-11] [ATP-WT-005] what is not there or is there already is not linked, and nobody hears of it", async () => {
  const root = repository({ "vendor/a": "a" });
  const { path } = await worktreesOf(root, { linked: ["none", "vendor"] }).open("x", never);
  expect(existsSync(join(path, "none"))).toBe(false);
  expect(lstatSync(join(path, "vendor")).isSymbolicLink()).toBe(false);
  expect(readFileSync(join(root, ".git/info/exclude"), "utf8")).not.toContain("vendor");
});

test("[WT-11] what cannot be linked is warned about, and leads nowhere", async () => {
  const root = repository({ a: "a" });
  const outside = scratch();
  // The commit has a link where the working tree has a directory.
  symlinkSync(outside, join(root, "out"));
  git(root, "add", "out");
  git(root, "commit", "--quiet", "--message=out");
  rmSync(join(root, "out"));
  write(root, { "out/deps/x": "x" });
  const warnings: string[] = [];
  const linked = ["../y", ".", "a/b", "out/deps"];
  await worktreesOf(root, { linked, warn: (text) => warnings.push(text) }).open("x", never);
  expect(warnings.map((text) => text.split(" ")[0])).toEqual(linked);
  expect(readdirSync(outside)).toEqual([]);
});

test("a node_modules that leads out of the repository is not linked, and the warning says where it leads", async () => {
  const root = repository({ ".gitignore": "node_modules\n" });
  const [outside, warnings] = [scratch(), [] as string[]];
  symlinkSync(outside, join(root, "node_modules"));
  const { path } = await worktreesOf(root, { warn: (text) => warnings.push(text) }).open("x", never);
  expect(existsSync(join(path, "node_modules"))).toBe(false);
  expect(warnings).toEqual([expect.stringContaining(`it leads out of the repository, to ${outside}`)]);
});

test("[WT-14] eight worktrees opened at once are eight, and all of them go again", async () => {
  const root = repository();
  const worktrees = [worktreesOf(root), worktreesOf(root)];
  const opened = await Promise.all(
    Array.from({ length: 8 }, (_, index) => worktrees[index % 2]?.open(`agent-${index}`, never)),
  );
  for (const [index, one] of opened.entries()) write(one?.path ?? "", { "a.txt": `${index}\n` });
  expect(opened.map((one) => readFileSync(join(one?.path ?? "", "a.txt"), "utf8"))).toEqual(
    opened.map((_, index) => `${index}\n`),
  );
  for (const one of opened) git(one?.path ?? "", "checkout", "-q", "a.txt");
  const released = await Promise.all(opened.map((one) => one?.release()));
  expect(released).toEqual(opened.map(() => ({ isKept: false })));
  expect(branches(root)).toEqual(["main"]);
});

test("one that is opened while it is given back is made anew", async () => {
  const root = repository();
  const worktrees = worktreesOf(root);
  const { release } = await worktrees.open("x", never);
  const [given, again] = await Promise.all([release(), worktrees.open("x", never)]);
  expect(given).toEqual({ isKept: false });
  expect(existsSync(join(again.path, "a.txt"))).toBe(true);
  expect(await again.release()).toEqual({ isKept: false });
});
