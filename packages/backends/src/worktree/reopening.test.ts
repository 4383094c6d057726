import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environment, git, never, program, repository, scratch, worktreesOf, write } from "../../test/repositories.ts";

const pathIn = (root: string) => join(root, ".claude/worktrees/x");
const adminIn = (root: string) => join(root, ".git/worktrees/x");
const add = (root: string, ...more: string[]) =>
  git(root, "worktree", "add", "--quiet", "-b", "worktree-x", ...more, pathIn(root));

test("[WT-12] [ATP-WT-006] one that exists is opened as it is, and says so, with two quick commands and no fetch", async () => {
  const root = repository();
  const origin = repository();
  git(root, "remote", "add", "origin", origin);
  git(root, "fetch", "--quiet", "origin");
  git(root, "remote", "set-head", "origin", "main");
  rmSync(join(root, ".git/FETCH_HEAD"));
  const logging = () => {
    const { directory, PATH } = program(
      "git",
      `echo "$*" >> "$0.log"; exec /usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin git "$@"`,
    );
    const commands = () =>
      [
        ...readFileSync(join(directory, "git.log"), "utf8").matchAll(
          / (rev-parse|worktree lock|fetch|reset|status|worktree add|checkout|pull)(?= )/g,
        ),
      ].map(([, word]) => word);
    return { worktrees: worktreesOf(root, { environment: { ...environment, PATH } }), commands };
  };
  const fresh = { baseRef: "fresh" } as const;
  const first = logging();
  const made = await first.worktrees.open("x", never, fresh);
  expect(made.existed).toBe(false);
  expect(first.commands()).toContain("fetch");
  write(made.path, { "a.txt": "mine\n" });
  rmSync(join(root, ".git/FETCH_HEAD"));
  const second = logging();
  const again = await second.worktrees.open("x", never, fresh);
  expect(again).toMatchObject({ path: made.path, branch: made.branch, existed: true, base: made.base });
  expect(readFileSync(join(again.path, "a.txt"), "utf8")).toBe("mine\n");
  expect(second.commands()).toEqual(["rev-parse", "rev-parse"]);
  git(again.path, "checkout", "--quiet", "a.txt");
  expect(await again.release()).toEqual({ isKept: false });
});

test("one that was kept is opened again, locked, and is kept again for what was committed in it", async () => {
  const root = repository();
  const first = await worktreesOf(root).open("x", never);
  git(first.path, "commit", "--quiet", "--allow-empty", "--message=second");
  expect(await first.release()).toEqual({ isKept: true });
  const again = await worktreesOf(root).open("x", never);
  expect(git(root, "worktree", "list", "--porcelain")).toContain(`locked an agent of process ${process.pid}`);
  expect(await again.release()).toEqual({ isKept: true });
});

test("one that somebody else made is used, and kept although nothing was done in it", async () => {
  const root = repository();
  add(root);
  const { release } = await worktreesOf(root).open("x", never);
  expect(await release()).toEqual({ isKept: true });
});

/** The state after a kill at each step of creating a worktree, from the first to the last. */
const remains: readonly [string, (root: string) => void][] = [
  ["an empty directory", (root) => mkdirSync(pathIn(root), { recursive: true })],
  ["a pointer that was not written", (root) => write(pathIn(root), { ".git": "" })],
  ["a pointer to nothing", (root) => write(pathIn(root), { ".git": `gitdir: ${adminIn(root)}\n` })],
  [
    "a place that git had only begun",
    (root) => {
      add(root, "--no-checkout");
      writeFileSync(join(adminIn(root), "locked"), "initializing");
      rmSync(join(adminIn(root), "HEAD"));
    },
  ],
  [
    "no files yet",
    (root) => {
      add(root, "--no-checkout");
      git(pathIn(root), "update-ref", "refs/worktree/base", "HEAD");
    },
  ],
  [
    "some of the files, and a lock that nobody holds",
    (root) => {
      add(root, "--no-checkout");
      git(pathIn(root), "update-ref", "refs/worktree/base", "HEAD");
      git(root, "worktree", "lock", pathIn(root));
      write(pathIn(root), { "a.txt": "" });
      writeFileSync(join(adminIn(root), "index.lock"), "");
    },
  ],
  ["only the branch", (root) => git(root, "branch", "worktree-x")],
  [
    "only git's notes of it, locked",
    (root) => {
      add(root);
      git(root, "worktree", "lock", pathIn(root));
      rmSync(pathIn(root), { recursive: true });
    },
  ],
];

test.concurrent.for(remains)(
  "where %s is left, it is made whole, and goes when nothing was done in it",
  async ([, leave], { expect, onTestFinished }) => {
    const root = repository({ "a.txt": "a\n", "b.txt": "b\n" }, scratch(onTestFinished));
    leave(root);
    const { path, release } = await worktreesOf(root).open("x", never);
    expect(readdirSync(path).sort()).toEqual([".git", "a.txt", "b.txt"]);
    expect(git(path, "status", "--porcelain")).toBe("");
    expect(await release()).toEqual({ isKept: false });
    expect(existsSync(path)).toBe(false);
  },
);

test("a pointer into another repository is left as it is", async () => {
  const root = repository();
  const other = repository();
  git(other, "worktree", "add", "--quiet", "--no-checkout", pathIn(root));
  const pointer = readFileSync(join(pathIn(root), ".git"), "utf8");
  await expect(worktreesOf(root).open("x", never)).rejects.toMatchObject({ code: "name_taken" });
  expect(readFileSync(join(pathIn(root), ".git"), "utf8")).toBe(pointer);
});

test("a branch of before with work on it is taken up where it was, and one without starts where the repository is now", async () => {
  const root = repository();
  git(root, "branch", "worktree-x");
  git(root, "commit", "--quiet", "--allow-empty", "--message=second");
  const fresh = await worktreesOf(root).open("x", never);
  expect(git(fresh.path, "log", "-1", "--format=%s")).toBe("second");
  git(fresh.path, "commit", "--quiet", "--allow-empty", "--message=work");
  git(root, "worktree", "remove", "--force", "--force", fresh.path);
  const again = await worktreesOf(root).open("x", never);
  expect(git(again.path, "log", "-1", "--format=%s")).toBe("work");
  expect(await again.release()).toEqual({ isKept: true });
});
