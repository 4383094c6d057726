import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";

const { home, json, told, refusal } = openTroupe();
const cwd = join(home, "project");
const env = {
  HOME: home,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
};
const git = (...args: string[]) =>
  execFileSync("git", args, { cwd, env: { ...env, PATH: process.env["PATH"] }, encoding: "utf8" }).trim();

/** A worktree that an agent of a dead process has left. */
function left(name: string): string {
  const path = join(cwd, ".claude/worktrees", name);
  git("worktree", "add", "--quiet", "-b", `worktree-${name}`, path);
  git("-C", path, "update-ref", "refs/worktree/base", "HEAD");
  git("worktree", "lock", "--reason", "an agent of process 1 works here (process started: long ago)", path);
  return path;
}

test("worktrees that agents have left are listed, swept where that is safe, and removed with everything kept", () => {
  mkdirSync(cwd);
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "first");
  expect(json("worktree-list", ["worktree", "list"], { cwd, env })).toEqual({ worktrees: [] });
  const [clean, changed] = [left("agent-clean"), left("agent-changed")];
  writeFileSync(join(changed, "new.txt"), "n");
  const states = {
    worktrees: [
      { name: "agent-changed", state: "changed" },
      { name: "agent-clean", state: "clean" },
    ],
  };
  expect(json("worktree-list", ["worktree", "list"], { cwd, env })).toMatchObject(states);
  expect(json("worktree-sweep", ["worktree", "sweep"], { cwd, env })).toMatchObject({
    worktrees: [{ isRemoved: false, changes: ["1 new file or directory"] }, { isRemoved: true }],
  });
  expect([clean, changed].map((path) => existsSync(path))).toEqual([false, true]);
  expect(refusal(2, ["worktree", "remove", "agent-changed"], { cwd, env })).toContain("use --yes");
  const { salvage } = json("worktree-remove", ["worktree", "remove", "agent-changed", "--yes"], { cwd, env });
  expect([existsSync(changed), git("show", `${salvage}:new.txt`)]).toEqual([false, "n"]);
  expect(refusal(2, ["worktree", "remove", "agent-changed", "--yes"], { cwd, env })).toContain("troupe worktree list");
  expect(refusal(2, ["worktree", "list"], { cwd: home, env })).toContain("not in a git working tree");
  expect(told("help", "worktree")).toContain("worktree sweep");
});
