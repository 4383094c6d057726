import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { git, never, repository, worktreesOf, write } from "../../test/repositories.ts";

/** A worktree whose process is dead: its lock stays. */
function orphan(root: string, name: string, lock = deadReason): string {
  const path = join(root, ".claude/worktrees", name);
  git(root, "worktree", "add", "--quiet", "-b", `worktree-${name}`, path);
  git(path, "update-ref", "refs/worktree/base", "HEAD");
  git(root, "worktree", "lock", "--reason", lock, path);
  return path;
}

const deadReason = "an agent of process 1 works here (process started: long ago)";
const branches = (root: string) => git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");
const commit = (path: string, message = "work") => git(path, "commit", "--quiet", "--allow-empty", "-m", message);
const statesIn = async (root: string) =>
  Object.fromEntries(
    (await worktreesOf(root).list(never)).map(({ name, state, changes }) => [name, [state, ...changes]]),
  );

test("the list says of each worktree whether an agent works there and what was done in it, in figures", async () => {
  const root = repository({ "a.txt": "a\n", "b.txt": "b\n", ".gitignore": "out\n" });
  git(root, "worktree", "add", "--quiet", join(root, "elsewhere"));
  await worktreesOf(root).open("used", never);
  orphan(root, "clean");
  write(orphan(root, "built"), { "out/x.js": "x" });
  const changed = orphan(root, "changed");
  write(changed, { "a.txt": "b\n", "new.txt": "n", "more/new.txt": "n" });
  commit(changed);
  git(changed, "rm", "--quiet", "--cached", "b.txt");
  const hidden = orphan(root, "hidden");
  git(hidden, "update-index", "--assume-unchanged", "a.txt");
  write(hidden, { "a.txt": "unseen\n" });
  orphan(root, "theirs", "on my stick");
  git(orphan(root, "bare"), "update-ref", "-d", "refs/worktree/base");
  rmSync(orphan(root, "gone"), { recursive: true });
  expect(await statesIn(root)).toEqual({
    used: ["used"],
    clean: ["clean"],
    built: ["clean"],
    changed: ["changed", "1 commit", "2 changed files", "3 new files or directories"],
    hidden: ["changed", "1 file that git was told not to look at"],
    theirs: ["unknown", "somebody else locked it (on my stick)"],
    bare: ["changed", expect.stringMatching(/^where it began is not known/)],
    gone: ["unknown", expect.stringContaining("git worktree prune")],
  });
});

test("a sweep removes what dead agents have left as it was, with its branch, and nothing else", async () => {
  const root = repository();
  const used = await worktreesOf(root).open("used", never);
  const [clean, dirty, theirs] = [orphan(root, "clean"), orphan(root, "dirty"), orphan(root, "theirs", "mine")];
  write(dirty, { "new.txt": "n" });
  const swept = await worktreesOf(root).sweep(never);
  expect(swept.filter(({ isRemoved }) => isRemoved).map(({ name }) => name)).toEqual(["clean"]);
  expect([used.path, clean, dirty, theirs].map((path) => existsSync(path))).toEqual([true, false, true, true]);
  expect(branches(root)).toEqual(["main", "worktree-dirty", "worktree-theirs", "worktree-used"]);
});

test("commits that are on another branch are safe, and those on the branch of another agent alone are not", async () => {
  const root = repository();
  const [merged, own] = [orphan(root, "merged"), orphan(root, "own")];
  for (const path of [merged, own]) commit(path, path);
  git(root, "merge", "--quiet", "worktree-merged");
  git(orphan(root, "copy"), "merge", "--quiet", "worktree-own");
  const swept = await worktreesOf(root).sweep(never);
  expect(swept.map(({ name, isRemoved, changes }) => [name, isRemoved, ...changes])).toEqual([
    ["copy", false, "2 commits"],
    ["merged", true],
    ["own", false, "1 commit"],
  ]);
  expect(git(root, "log", "--format=%s", "worktree-own")).toContain(own);
});

test("a worktree of a process that runs is neither swept, removed nor opened by another, and is all that once it has ended", async () => {
  const root = repository();
  const other = spawn("sleep", ["1000"], { stdio: "ignore" });
  onTestFinished(() => void other.kill("SIGKILL"));
  const path = orphan(root, "x", `an agent of process ${other.pid} works here`);
  const worktrees = worktreesOf(root);
  expect((await worktrees.sweep(never)).map(({ state, isRemoved }) => [state, isRemoved])).toEqual([["used", false]]);
  const held = {
    code: "name_taken",
    message: expect.stringMatching(new RegExp(`process ${other.pid} .*git worktree unlock`)),
  };
  await expect(worktrees.remove("x", never)).rejects.toMatchObject(held);
  await expect(worktrees.open("x", never)).rejects.toMatchObject(held);
  expect(existsSync(path)).toBe(true);
  other.kill("SIGKILL");
  await once(other, "exit");
  const { release, existed } = await worktrees.open("x", never);
  expect(existed).toBe(true);
  expect(await release()).toEqual({ isKept: false });
});

test("a worktree that somebody else locked is not removed by force, and one that is not there is said to be missing", async () => {
  const root = repository();
  const path = orphan(root, "x", "on my stick");
  await expect(worktreesOf(root).remove("x", never)).rejects.toThrow(/on my stick.*git worktree unlock/);
  expect(existsSync(path)).toBe(true);
  await expect(worktreesOf(root).remove("y", never)).rejects.toThrow(/troupe worktree list/);
});

test("one that was opened again is not given back by who had it before", async () => {
  const root = repository();
  const worktrees = worktreesOf(root);
  const first = await worktrees.open("x", never);
  const second = await worktrees.open("x", never);
  expect([await first.leave(), await first.release()]).toEqual([{ isChanged: true }, { isKept: true }]);
  expect(existsSync(second.path)).toBe(true);
  expect(git(root, "worktree", "list", "--porcelain")).toContain("locked an agent of process");
  expect([await second.leave(), existsSync(second.path), await second.release()]).toEqual([
    { isChanged: false },
    true,
    { isKept: false },
  ]);
});

test("who leaves a worktree with changes unlocks it, and one without stays locked until it is given back", async () => {
  const root = repository();
  const [clean, dirty] = [await worktreesOf(root).open("clean", never), await worktreesOf(root).open("dirty", never)];
  writeFileSync(join(dirty.path, "b.txt"), "b");
  expect([await clean.leave(), await dirty.leave()]).toEqual([{ isChanged: false }, { isChanged: true }]);
  const known = git(root, "worktree", "list", "--porcelain").split("\n\n").slice(1);
  expect(known.map((one) => one.includes("\nlocked an agent"))).toEqual([true, false]);
});
