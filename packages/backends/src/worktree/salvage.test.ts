import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { memory } from "../../../../scripts/memory.ts";
import { environment, git, never, program, repository, scratch, worktreesOf, write } from "../../test/repositories.ts";

/** The name that git gives to bytes. */
const hashOf = (bytes: Buffer) => createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");

/** The files and links of a worktree as lines, each with the hash of its bytes. */
function hashesIn(root: string, below = Buffer.from("")): string[] {
  return readdirSync(Buffer.concat([Buffer.from(`${root}/`), below]), { withFileTypes: true, encoding: "buffer" })
    .flatMap((entry) => {
      const name = Buffer.concat([below, entry.name]);
      if (name.toString() === ".git") return [];
      if (entry.isDirectory()) return hashesIn(root, Buffer.concat([name, Buffer.from("/")]));
      const path = Buffer.concat([Buffer.from(`${root}/`), name]);
      const bytes = entry.isSymbolicLink() ? readlinkSync(path, { encoding: "buffer" }) : readFileSync(path);
      const mode = entry.isSymbolicLink() ? "120000" : lstatSync(path).mode & 0o100 ? "100755" : "100644";
      return [`${mode} blob ${hashOf(bytes)}\t${name.toString("latin1")}`];
    })
    .sort();
}

const linesOf = (root: string, tree: string) =>
  Buffer.from(git(root, "-c", "core.quotePath=false", "ls-tree", "-r", "-z", tree), "utf8")
    .toString()
    .split("\0")
    .filter((line) => line !== "");

const text = (name: string, seed: number) => `${name} of ${seed}\r\n`;

/** What an agent leaves in files. */
function leaveFiles(path: string, seed: number): void {
  write(path, {
    "a.txt": text("changed", seed),
    "new/Ordner mit ü 目录/'\"\\\t\n.txt": text("untracked", seed),
    "out/ignored.bin": text("ignored", seed),
    "git~1": text("a name of another system", seed),
    ".gitattributes": "*.txt text eol=lf filter=evil\n",
    empty: "",
    "run.sh": "#!/bin/sh\n",
  });
  chmodSync(join(path, "run.sh"), 0o755);
  symlinkSync(`/nonexistent/${seed}`, join(path, "link"));
}

/** Stages what no file holds any more; the name of what was staged. */
function stageFile(path: string, seed: number): string {
  write(path, { "a.txt": text("staged", seed) });
  git(path, "add", "a.txt");
  return git(path, "rev-parse", ":a.txt");
}

/** Commits on the branch, on none, and one that was taken back. */
function commitAll(path: string, seed: number): readonly string[] {
  return ["dropped", "kept", "apart"].map((name) => {
    if (name === "apart") git(path, "checkout", "--quiet", "--detach");
    write(path, { [`${name}.txt`]: text(name, seed) });
    git(path, "add", `${name}.txt`);
    git(path, "commit", "--quiet", "--message", name);
    const made = git(path, "rev-parse", "HEAD");
    if (name === "dropped") git(path, "reset", "--quiet", "--hard", "HEAD~1");
    return made;
  });
}

test("what is removed by force stands byte for byte in a reference: changed, staged, untracked, ignored, and every commit", async () => {
  const root = repository({ "a.txt": "a\n", ".gitignore": "out\n" });
  const marker = join(scratch(), "ran");
  git(root, "config", "filter.evil.clean", `touch '${marker}'; cat`);
  git(root, "config", "core.autocrlf", "input");
  const worktrees = worktreesOf(root);
  const { path } = await worktrees.open("x", never);
  const commits = commitAll(path, 1);
  const staged = stageFile(path, 1);
  leaveFiles(path, 1);
  const before = hashesIn(path);
  const { salvage } = await worktrees.remove("x", never);
  expect(existsSync(marker)).toBe(false);
  expect(salvage).toMatch(/^refs\/troupe\/salvage\/x\/[0-9a-f]{12}$/);
  expect(existsSync(path)).toBe(false);
  expect(git(root, "for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main");
  expect(before).toHaveLength(11);
  expect(linesOf(root, salvage).sort()).toEqual(before.map((line) => Buffer.from(line, "latin1").toString()).sort());
  git(root, "gc", "--quiet", "--prune=now");
  for (const one of commits) git(root, "cat-file", "-e", one);
  expect(git(root, "rev-parse", `${salvage}^2:a.txt`)).toBe(staged);
});

/** `npm run test:trees` removes a hundred. */
const removals = process.env["TROUPE_TREES"] === undefined ? 30 : 100;

test(`${removals} removals by force lose nothing: every blob and commit is there after git has thrown away what nothing refers to`, async () => {
  const root = repository({ "a.txt": "a\n", ".gitignore": "out\n" }, scratch(onTestFinished, memory));
  const worktrees = worktreesOf(root);
  const lost: string[] = [];
  const wanted: string[] = [];
  const one = async (seed: number) => {
    const { path } = await worktrees.open(`agent-${seed}`, never);
    if (seed % 10 === 0) wanted.push(...commitAll(path, seed));
    if (seed % 5 === 0) wanted.push(stageFile(path, seed));
    leaveFiles(path, seed);
    const before = hashesIn(path);
    const { salvage } = await worktrees.remove(`agent-${seed}`, never);
    const after = new Set(linesOf(root, salvage));
    lost.push(...before.filter((line) => !after.has(Buffer.from(line, "latin1").toString())));
    wanted.push(...before.map((line) => line.split(/[ \t]/)[2] ?? ""));
  };
  const seeds = Array.from({ length: removals }, (_, seed) => seed);
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await one(seed);
    }),
  );
  git(root, "reflog", "expire", "--expire=now", "--all");
  git(root, "gc", "--quiet", "--prune=now");
  const known = new Set(git(root, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split("\n"));
  expect(lost).toEqual([]);
  expect(wanted.filter((name) => !known.has(name))).toEqual([]);
  expect(new Set(wanted).size).toBeGreaterThan(5 * removals);
  expect(git(root, "for-each-ref", "--format=%(refname)", "refs/troupe/salvage").split("\n")).toHaveLength(removals);
  expect(readdirSync(join(root, ".claude/worktrees"))).toEqual([]);
});

test("a name of bytes that are no text is kept as it is", async () => {
  const root = repository();
  const worktrees = worktreesOf(root);
  const { path } = await worktrees.open("x", never);
  writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0x22, 0xfe])]), "odd");
  const { salvage } = await worktrees.remove("x", never);
  expect(git(root, "ls-tree", "--name-only", salvage)).toContain('"\\377\\"\\376"');
});

test("each side of a conflict that was not resolved is kept", async () => {
  const root = repository();
  const worktrees = worktreesOf(root);
  const { path } = await worktrees.open("x", never);
  for (const [branch, text] of [
    ["left", "l\n"],
    ["right", "r\n"],
  ] as const) {
    git(path, "checkout", "--quiet", "-b", branch, "worktree-x");
    write(path, { "a.txt": text });
    git(path, "commit", "--quiet", "--all", "--message", branch);
  }
  expect(() => git(path, "merge", "left")).toThrow();
  const { salvage } = await worktrees.remove("x", never);
  const sides = ["1", "2", "3"].map((side) => git(root, "show", `${salvage}^2:conflict-${side}/a.txt`));
  expect(sides).toEqual(["a", "r", "l"]);
});

test("a repository inside is not removed, since its commits would be lost, and the error says what to do", async () => {
  const root = repository();
  const worktrees = worktreesOf(root);
  const { path } = await worktrees.open("x", never);
  write(path, { "deep/a.txt": "a" });
  repository({ "b.txt": "b" }, join(path, "deep/inner"));
  await expect(worktrees.remove("x", never)).rejects.toThrow(
    /deep\/inner is a repository of its own.*push them and move it away/,
  );
  expect(existsSync(join(path, "deep/inner/b.txt"))).toBe(true);
  expect(git(root, "for-each-ref", "refs/troupe")).toBe("");
});

test("a disk that is full in the middle of a salvage removes nothing", async () => {
  const root = repository();
  const { path } = await worktreesOf(root).open("x", never);
  write(path, {
    "big.bin": [...Array(40_000).keys()].map((one) => createHash("md5").update(`${one}`).digest("hex")).join(""),
  });
  const before = hashesIn(path);
  const full = worktreesOf(root, { environment: { ...environment, PATH: smallDisk() } });
  await expect(full.remove("x", never)).rejects.toMatchObject({
    code: "document_unwritable",
    message: expect.stringMatching(/big\.bin|too large|No space/i),
  });
  expect(hashesIn(path)).toEqual(before);
  expect(git(root, "for-each-ref", "refs/troupe")).toBe("");
  expect(git(root, "fsck", "--no-dangling")).toBe("");
  await worktreesOf(root).remove("x", never);
  expect(existsSync(path)).toBe(false);
});

test("a disk that is full while a worktree is made leaves neither directory nor branch", async () => {
  const root = repository({ "a.txt": "a\n", "z.bin": "z".repeat(500_000) });
  const full = worktreesOf(root, { environment: { ...environment, PATH: smallDisk() } });
  await expect(full.open("x", never)).rejects.toThrow(/z\.bin/);
  expect(readdirSync(join(root, ".claude/worktrees"))).toEqual([]);
  expect(git(root, "branch", "--format=%(refname:short)")).toBe("main");
  expect(git(root, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
  expect(await (await worktreesOf(root).open("x", never)).release()).toEqual({ isKept: false });
});

/** A git for which no file can grow beyond 64 KB: its writes fail half-way, as on a full disk. */
const smallDisk = (): string =>
  program("git", `trap '' XFSZ; ulimit -f 128; PATH=/usr/local/bin:/usr/bin:/bin exec git "$@"`).PATH;
