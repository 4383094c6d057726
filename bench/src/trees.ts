import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorktrees, type Worktrees } from "@troupe/backends/worktree";
import { atLeast, atMost, type Result, roundsOf } from "./measure.ts";

const files = 20_000;
const never = new AbortController().signal;

const environment = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
};

/** P11: a worktree of 20,000 files, made against a plain `git worktree add`, and opened again. */
export async function trees(): Promise<Record<string, Result>> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-bench-trees-")));
  const git = (input: string | undefined, ...args: string[]) =>
    execFileSync("git", args, { cwd: root, env: environment, encoding: "utf8", input, maxBuffer: 1 << 28 });
  try {
    git(undefined, "init", "--quiet", "--initial-branch=main");
    git(history(), "fast-import", "--quiet");
    git(undefined, "reset", "--quiet", "--hard");
    const worktrees = createWorktrees({ cwd: root, environment, warn: console.error });
    const seen: { readonly cold: number; readonly again: number }[] = [];
    const cold = await roundsOf(async () => {
      const plain = timed(() => git(undefined, "worktree", "add", "--quiet", "-b", "plain", "plain"));
      git(undefined, "worktree", "remove", "--force", "plain");
      git(undefined, "branch", "--quiet", "-D", "plain");
      const ours = await round(worktrees, (path) => git(undefined, "-C", path, "status", "--porcelain"));
      seen.push(ours);
      return ours.cold / plain;
    });
    return {
      "P11.cold": atMost(0.8, cold),
      "P11.again": atLeast(
        20,
        seen.slice(1).map(({ cold, again }) => cold / again),
      ),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function round(worktrees: Worktrees, statusOf: (path: string) => string) {
  const began = performance.now();
  const { path } = await worktrees.open("x", never);
  const cold = performance.now() - began;
  expectClean(statusOf(path));
  let again = Number.POSITIVE_INFINITY;
  let last = { release: async () => ({ isKept: true }) };
  for (let run = 0; run < 3; run += 1) {
    const start = performance.now();
    last = await worktrees.open("x", never);
    again = Math.min(again, performance.now() - start);
  }
  expectClean(statusOf(path));
  if ((await last.release()).isKept) throw new Error(`${path} was not given back`);
  return { cold, again };
}

function expectClean(status: string): void {
  if (status !== "") throw new Error(`the worktree is not clean: ${status.slice(0, 200)}`);
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** One commit of files of a usual size, a hundred in each directory, for `git fast-import`. */
function history(): string {
  const contents = Array.from({ length: files }, (_, at) => {
    const text = `line of file ${at}\n`.repeat(1 + (at % 200));
    return `M 100644 inline d${Math.floor(at / 100)}/f${at}.txt\ndata ${text.length}\n${text}\n`;
  });
  return `commit refs/heads/main\ncommitter a <a@example.org> 1700000000 +0000\ndata 5\nfirst\n${contents.join("")}`;
}
