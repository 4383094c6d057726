import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorktrees } from "@troupe/backends/worktree";
import { expect, onTestFinished, test } from "vitest";

/** Files of the repository; `npm run test:trees` makes twenty thousand. */
const files = Number(process.env["TROUPE_TREES"] ?? 300);
const never = new AbortController().signal;
const name = (at: number) => `d${Math.floor(at / 100)}/f${at}.txt`;
const content = (at: number) => `line of file ${at}\n`.repeat(1 + (at % 200));

const environment = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

test(`in a repository of ${files} files worktrees are whole and clean, made at once and opened again; a change is found, and a removal by force keeps every byte`, {
  timeout: 240_000,
}, async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-trees-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = (args: readonly string[], input?: string) =>
    execFileSync("git", args, { cwd: root, env: environment, encoding: "utf8", input, maxBuffer: 1 << 28 }).trimEnd();
  const all = Array.from({ length: files }, (_, at) => at);
  const inlined = all.map((at) => `M 100644 inline ${name(at)}\ndata ${content(at).length}\n${content(at)}\n`);
  git(["init", "--quiet", "--initial-branch=main"]);
  git(
    ["fast-import", "--quiet"],
    `commit refs/heads/main\ncommitter a <a@example.org> 1700000000 +0000\ndata 5\nfirst\n${inlined.join("")}`,
  );
  git(["reset", "--quiet", "--hard"]);
  const opened = () => createWorktrees({ cwd: root, environment, warn: expect.unreachable });
  const worktrees = opened();
  const status = (path: string) => git(["-C", path, "status", "--porcelain"]);

  const both = await Promise.all([worktrees.open("one", never), opened().open("two", never)]);
  for (const { path } of both) {
    expect(status(path)).toBe("");
    expect(all.filter((at) => readFileSync(join(path, name(at)), "utf8") !== content(at))).toEqual([]);
  }
  const [one, two] = both;
  const again = await worktrees.open("one", never);
  expect([again.existed, status(again.path)]).toEqual([true, ""]);
  expect([await again.leave(), await again.release()]).toEqual([{ isChanged: false }, { isKept: false }]);
  expect(existsSync(one.path)).toBe(false);

  writeFileSync(join(two.path, name(files - 1)), "changed");
  writeFileSync(join(two.path, "new.txt"), "new");
  expect(await two.leave()).toEqual({ isChanged: true });
  expect(await opened().sweep(never)).toMatchObject([
    { name: "two", isRemoved: false, changes: ["1 changed file", "1 new file or directory"] },
  ]);
  const { salvage } = await opened().remove("two", never);
  expect(existsSync(two.path)).toBe(false);
  const kept = new Map(
    git(["ls-tree", "-r", salvage])
      .split("\n")
      .map((line) => [line.split("\t")[1], line.split(/\s/)[2]]),
  );
  const hashOf = (text: string) => createHash("sha1").update(`blob ${text.length}\0${text}`).digest("hex");
  const expected = new Map(all.map((at) => [name(at), hashOf(at === files - 1 ? "changed" : content(at))]));
  expected.set("new.txt", hashOf("new"));
  expect(kept).toEqual(expected);
  expect(status(root)).toBe("");
});
