import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environment, git, halfMade, never, repository, scratch, worktreesOf, write } from "../../test/repositories.ts";

const open = (cwd: string, name = "x") => worktreesOf(cwd).open(name, never);

/** Makes one there, and gives it back. */
async function roundTrip(cwd: string): Promise<string> {
  const { path, release } = await open(cwd);
  expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("a\n");
  expect(await release()).toEqual({ isKept: false });
  expect(existsSync(path)).toBe(false);
  return path;
}

test("without a repository, a working tree or a commit there is no worktree, and the error says what to do", async () => {
  const bare = scratch();
  git(bare, "init", "--quiet", "--bare");
  const empty = scratch();
  git(empty, "init", "--quiet");
  const inGit = join(repository(), ".git");
  for (const [cwd, words] of [
    [scratch(), /not a git repository.*continue without isolation/],
    [bare, /bare/],
    [inGit, /continue without isolation/],
    [empty, /no commit.*commit something first/],
    ["/nonexistent/x", /is it installed/],
  ] as const)
    await expect(open(cwd)).rejects.toMatchObject({ code: "arguments_invalid", message: expect.stringMatching(words) });
  expect(readdirSync(bare)).not.toContain(".claude");
});

test("a directory that only looks like a bare repository is none, so its configuration runs nothing", async () => {
  const root = repository();
  git(root, "init", "--quiet", "--bare", "trap");
  await expect(open(join(root, "trap"))).rejects.toThrow(/safe.bareRepository/);
});

test("paths may have blanks and letters of any alphabet", async () => {
  const root = repository(undefined, join(scratch(), "mein Ordner ü 目录 'x'"));
  expect(await roundTrip(root)).toBe(join(root, ".claude/worktrees/x"));
});

test("a worktree starts from what is checked out, on a branch or on none", async () => {
  const root = repository();
  git(root, "checkout", "--quiet", "--detach");
  git(root, "commit", "--quiet", "--allow-empty", "--message=on no branch");
  const { path, release } = await open(root);
  expect(git(path, "log", "-1", "--format=%s")).toBe("on no branch");
  expect(await release()).toEqual({ isKept: false });
});

test("asked from a linked worktree, the new one lies below the main one and starts from the linked one's commit", async () => {
  const root = repository();
  const first = await open(root, "first");
  git(first.path, "commit", "--quiet", "--allow-empty", "--message=second");
  const second = await open(first.path, "second");
  expect(second.path).toBe(join(root, ".claude/worktrees/second"));
  expect(git(second.path, "log", "-1", "--format=%s")).toBe("second");
  expect(await second.release()).toEqual({ isKept: false });
  expect(await first.release()).toEqual({ isKept: true });
});

test("a submodule has worktrees of its own", async () => {
  const inner = repository();
  const root = repository();
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub");
  git(root, "commit", "--quiet", "--message=sub");
  expect(await roundTrip(join(root, "sub"))).toBe(join(root, "sub/.claude/worktrees/x"));
  expect(await roundTrip(root)).toBe(join(root, ".claude/worktrees/x"));
});

test("a repository whose git directory lies elsewhere has its worktrees where its files are", async () => {
  const root = scratch();
  git(root, "init", "--quiet", `--separate-git-dir=${scratch()}/.git`);
  write(root, { "a.txt": "a\n" });
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "--message=first");
  expect(await roundTrip(root)).toBe(join(root, ".claude/worktrees/x"));
});

test("the worktrees of a bare repository have theirs beside it, or in them", async () => {
  const origin = repository();
  const [hidden, named] = [scratch(), scratch()];
  git(hidden, "clone", "--quiet", "--bare", origin, ".git");
  git(hidden, "worktree", "add", "--quiet", "main");
  expect(await roundTrip(join(hidden, "main"))).toBe(join(hidden, ".claude/worktrees/x"));
  git(named, "clone", "--quiet", "--bare", origin, "it.git");
  git(join(named, "it.git"), "worktree", "add", "--quiet", "../main");
  expect(await roundTrip(join(named, "main"))).toBe(join(named, "main/.claude/worktrees/x"));
});

test("a directory that says it is a worktree of a repository that does not know it is refused", async () => {
  const root = repository();
  const { path } = await open(root);
  const moved = join(scratch(), "moved");
  renameSync(path, moved);
  git(root, "worktree", "unlock", path);
  await expect(open(moved, "y")).rejects.toMatchObject({ code: "path_escaping", message: /worktree repair/ });
});

test.each([".claude", ".claude/worktrees", ".claude/worktrees/x"])(
  "%s as a link is refused, and nothing is written where it leads",
  async (link) => {
    const root = repository();
    const outside = scratch();
    mkdirSync(join(root, link, ".."), { recursive: true });
    symlinkSync(outside, join(root, link));
    await expect(open(root)).rejects.toMatchObject({ code: "path_escaping" });
    expect(readdirSync(outside)).toEqual([]);
  },
);

test("a directory with files in it that is no worktree is left as it is", async () => {
  const root = repository();
  write(root, { ".claude/worktrees/x/mine.txt": "mine" });
  await expect(open(root)).rejects.toMatchObject({ code: "name_taken" });
  expect(readFileSync(join(root, ".claude/worktrees/x/mine.txt"), "utf8")).toBe("mine");
});

test("a name that makes no branch, or whose branch is checked out elsewhere, is refused and leaves nothing", async () => {
  const root = repository();
  await expect(open(root, "a..b")).rejects.toThrow(/not a valid branch name/);
  git(root, "checkout", "--quiet", "-b", "worktree-x");
  await expect(open(root)).rejects.toMatchObject({ code: "name_taken" });
  expect(readdirSync(join(root, ".claude/worktrees"))).toEqual([]);
});

/** A clone of a repository that has gone on since, with work of its own. */
function behind(...options: string[]): { readonly root: string; readonly newest: string } {
  const origin = repository();
  const root = scratch();
  git(root, "clone", "--quiet", ...options, `file://${origin}`, ".");
  git(origin, "commit", "--quiet", "--allow-empty", "--message=newest");
  git(root, "commit", "--quiet", "--allow-empty", "--message=local");
  return { root, newest: git(origin, "rev-parse", "HEAD") };
}
const fresh = { baseRef: "fresh" } as const;

test("a worktree begins with what is checked out, or where that is wished with the newest of the main branch of origin", async () => {
  const { root, newest } = behind();
  const [here, there] = [await open(root), await worktreesOf(root).open("y", never, fresh)];
  expect([here.base, git(here.path, "rev-parse", "HEAD")]).toEqual(Array(2).fill(git(root, "rev-parse", "HEAD")));
  expect([there.base, git(there.path, "rev-parse", "HEAD")]).toEqual([newest, newest]);
  expect([await here.release(), await there.release()]).toEqual([{ isKept: false }, { isKept: false }]);
});

test("a fetch that reads the worktree which another git has half made is tried again", async () => {
  const { root, newest } = behind();
  await open(root);
  const { PATH } = halfMade(join(root, ".git/worktrees/x"));
  const beside = worktreesOf(root, { environment: { ...environment, PATH } });
  expect((await beside.open("y", never, fresh)).base).toBe(newest);
});

test("nothing is fetched where something was within a day, and an origin that is gone or never was changes nothing", async () => {
  const { root } = behind();
  const known = git(root, "rev-parse", "origin/main");
  writeFileSync(join(root, ".git/FETCH_HEAD"), "");
  expect((await worktreesOf(root).open("x", never, fresh)).base).toBe(known);
  git(root, "remote", "set-url", "origin", "/nonexistent/origin");
  const now = () => new Date(Date.now() + 25 * 60 * 60 * 1_000);
  expect((await worktreesOf(root, { now }).open("y", never, fresh)).base).toBe(known);
  const alone = repository();
  expect((await worktreesOf(alone).open("z", never, fresh)).base).toBe(git(alone, "rev-parse", "HEAD"));
});

test("a shallow clone has worktrees, which stay when something was committed in them", async () => {
  const { root } = behind("--depth=1");
  expect(git(root, "rev-parse", "--is-shallow-repository")).toBe("true");
  await roundTrip(root);
  const { path, release } = await worktreesOf(root).open("y", never, fresh);
  git(path, "commit", "--quiet", "--allow-empty", "--message=work");
  expect(await release()).toEqual({ isKept: true });
  expect(await worktreesOf(root).list(never)).toMatchObject([{ state: "changed", changes: ["1 commit"] }]);
});

test("what the configuration of a submodule names is not run, and a worktree with its files stays", async () => {
  const inner = repository({ "a.txt": "a\n", ".gitattributes": "*.txt filter=evil\n" });
  const root = repository();
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub");
  git(root, "commit", "--quiet", "--message=sub");
  const marker = join(scratch(), "ran");
  const worktrees = worktreesOf(root);
  const { path, leave, release } = await worktrees.open("x", never);
  git(path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
  git(join(path, "sub"), "config", "filter.evil.clean", `echo clean >> '${marker}'; cat`);
  git(join(path, "sub"), "config", "core.fsmonitor", `sh -c 'echo monitor >> "${marker}"' #`);
  write(path, { "sub/a.txt": "A\n" });
  expect(await leave()).toEqual({ isChanged: true });
  expect(await worktrees.sweep(never)).toMatchObject([{ changes: ["a repository of its own in sub"] }]);
  await expect(worktrees.remove("x", never)).rejects.toThrow(/sub is a repository of its own/);
  expect(await release()).toEqual({ isKept: true });
  expect(existsSync(marker)).toBe(false);
  git(path, "status");
  expect(readFileSync(marker, "utf8")).toMatch(/monitor\n(.*\n)*clean/);
});
