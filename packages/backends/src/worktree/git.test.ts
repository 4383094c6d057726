import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  environment,
  git,
  never,
  program,
  repository,
  scratch,
  worktreesOf,
  write,
  written,
} from "../../test/repositories.ts";

const branches = (root: string) => git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads");

/** A process that has ended may stay in the table for a while. */
async function gone(pid: string): Promise<void> {
  while (existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) await delay(5);
}

test("[WT-13] [ATP-WT-007] git has no way to ask anybody: no prompt, no program for it, no input, no terminal", async () => {
  const root = repository();
  const { directory, PATH } = program(
    "git",
    `set -- "$@"
    { echo "$GIT_TERMINAL_PROMPT,\${GIT_ASKPASS-unset},\${SSH_ASKPASS-unset}"; readlink /proc/$$/fd/0; (: < /dev/tty) 2>/dev/null && echo terminal; } >> "$0.log"
    PATH=/usr/local/bin:/usr/bin:/bin; exec git "$@"`,
  );
  const asking = { GIT_TERMINAL_PROMPT: "1", GIT_ASKPASS: "/bin/false", SSH_ASKPASS: "/bin/false" };
  const worktrees = worktreesOf(root, { environment: { ...environment, ...asking, PATH } });
  await (await worktrees.open("x", never)).release();
  const lines = new Set(readFileSync(join(directory, "git.log"), "utf8").trimEnd().split("\n"));
  expect(lines).toEqual(new Set(["0,,", "/dev/null"]));
});

test("[WT-13] a command of git that takes too long is ended with all it started, and the error says which", async () => {
  const { directory, PATH } = program("git", `sleep 1000 & echo $! > "$0.pid"; wait`);
  const opening = worktreesOf(scratch(), { environment: { ...environment, PATH }, timeoutMs: 300 }).open("x", never);
  await expect(opening).rejects.toThrow(/git rev-parse .* took longer than 0.3 s/);
  await gone(await written(join(directory, "git.pid")));
});

/** A repository whose files take for ever to check out, and the file in which that is said. */
function slowRepository(): { root: string; started: string } {
  const root = repository({ "a.txt": "a\n", ".gitattributes": "a.txt filter=slow\n" });
  const started = join(scratch(), "pid");
  git(root, "config", "filter.slow.smudge", `echo $$ > '${started}'; sleep 1000; cat`);
  return { root, started };
}

test("an abort in the middle ends git with its children and leaves neither directory nor branch", async () => {
  const { root, started } = slowRepository();
  const abort = new AbortController();
  const opening = worktreesOf(root).open("x", abort.signal);
  const pid = await written(started);
  abort.abort();
  await expect(opening).rejects.toThrow("opening the worktree x was cancelled");
  await gone(pid);
  expect(readdirSync(join(root, ".claude/worktrees"))).toEqual([]);
  expect(branches(root)).toBe("main");
  await expect(worktreesOf(root).open("x", abort.signal)).rejects.toThrow("was cancelled");
});

test("a git that is killed in the middle leaves neither directory nor branch", async () => {
  const { root, started } = slowRepository();
  const opening = expect(worktreesOf(root).open("x", never)).rejects.toThrow(/was killed by SIGKILL/);
  const pid = await written(started);
  const group = /\) \S+ \d+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  process.kill(-Number(group), "SIGKILL");
  await opening;
  expect(readdirSync(join(root, ".claude/worktrees"))).toEqual([]);
  expect(branches(root)).toBe("main");
});

test("a repository whose configuration and hooks run commands runs none by having a worktree", async () => {
  const root = repository({ "hooks/post-checkout": "", "hooks/reference-transaction": "", "a.txt": "a\n" });
  const marker = join(scratch(), "ran");
  const trap = `#!/bin/sh\necho "$0" >> '${marker}'\n`;
  const hooks = ["post-checkout", "reference-transaction", "post-index-change"];
  for (const place of [join(root, "hooks"), join(root, ".git/hooks")])
    for (const name of hooks) {
      writeFileSync(join(place, name), trap);
      chmodSync(join(place, name), 0o755);
    }
  writeFileSync(`${marker}.sh`, trap);
  chmodSync(`${marker}.sh`, 0o755);
  git(root, "config", "core.hooksPath", "hooks");
  git(root, "config", "core.fsmonitor", `${marker}.sh`);
  const { path, release } = await worktreesOf(root).open("x", never);
  const kept = await worktreesOf(root).open("y", never);
  write(kept.path, { "b.txt": "b" });
  expect([await release(), await kept.release()]).toEqual([{ isKept: false }, { isKept: true }]);
  expect(existsSync(path)).toBe(false);
  expect(existsSync(marker)).toBe(false);
  git(root, "branch", "control");
  git(root, "status");
  expect(readFileSync(marker, "utf8")).toMatch(/reference-transaction\n.*ran\.sh/s);
});

test("a `.git` file that an agent has changed is not followed when its worktree is given back", async () => {
  const root = repository();
  const { path, release } = await worktreesOf(root).open("x", never);
  const marker = join(scratch(), "ran");
  const evil = repository();
  // A commit that is missing is fetched, by a program that the configuration names.
  write(evil, { ".git/refs/heads/worktree-x": `${"1".repeat(40)}\n` });
  git(evil, "config", "extensions.partialClone", "origin");
  git(evil, "config", "remote.origin.url", root);
  git(evil, "config", "remote.origin.promisor", "true");
  git(evil, "config", "remote.origin.uploadpack", `touch '${marker}'; false`);
  write(path, { ".git": `gitdir: ${evil}/.git\n` });
  expect(await release()).toEqual({ isKept: true });
  expect(existsSync(marker)).toBe(false);
  expect(() => git(path, "rev-list", "worktree-x")).toThrow();
  expect(existsSync(marker)).toBe(true);
});

test("an environment that is bound to another repository, as in a hook of git, changes nothing", async () => {
  const root = repository();
  const other = repository();
  const binding = { GIT_DIR: join(other, ".git"), GIT_WORK_TREE: other, GIT_INDEX_FILE: join(other, ".git/index") };
  const { path, release } = await worktreesOf(root, { environment: { ...environment, ...binding } }).open("x", never);
  expect(path).toBe(join(root, ".claude/worktrees/x"));
  expect(await release()).toEqual({ isKept: false });
  expect(git(other, "status", "--porcelain")).toBe("");
});
