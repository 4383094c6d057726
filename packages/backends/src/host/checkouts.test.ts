import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { halfMade, program } from "../../test/repositories.ts";
import type { Asked, Work } from "./asked.ts";
import { openCheckouts } from "./checkouts.ts";
import { repositoryGiven } from "./repository-name.ts";

const author = {
  PATH: process.env["PATH"] ?? "",
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@t",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@t",
  GIT_CONFIG_GLOBAL: "/dev/null",
};
const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync("git", args, { cwd, env: author, encoding: "utf8", stdio: "pipe" }).trim();
const always = () => new AbortController().signal;

/** A remote repository with one commit, and the checkouts of a host that works on it. */
function openRemote() {
  const home = mkdtempSync(join(tmpdir(), "troupe-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "lead"));
  git(home, "init", "--quiet", "--bare", "remote.git");
  git(join(home, "lead"), "init", "--quiet");
  writeFileSync(join(home, "lead/README"), "one\n");
  git(join(home, "lead"), "add", ".");
  git(join(home, "lead"), "commit", "--quiet", "-m", "one");
  const remote = join(home, "remote.git");
  git(join(home, "lead"), "push", "--quiet", remote, "HEAD:main");
  const commit = git(join(home, "lead"), "rev-parse", "HEAD");
  const [repository, address] = repositoryGiven(remote);
  const warnings: string[] = [];
  const opened = (environment = author) =>
    openCheckouts({
      directory: join(home, "host"),
      repositories: new Map([[repository, address]]),
      environment,
      warn: (text) => warnings.push(text),
    });
  const checkouts = opened();
  const asked = (epoch: string, code: object = { repository, commit }, result: Work | null = null): Asked => ({
    id: "1",
    team: "crew",
    member: "ann",
    spec: { code },
    state: "taken",
    host: "h",
    epoch,
    starts: Number(epoch),
    isHeard: true,
    heardMs: 0,
    stopMs: null,
    reason: null,
    detail: null,
    result,
  });
  return { remote, commit, repository, opened, checkouts, asked };
}

test("what a teammate committed and what it had not come back on a branch of its start, and the next start goes on from there", async () => {
  const { remote, repository, checkouts, asked } = openRemote();
  const first = await checkouts(asked("1"), always());
  expect(await first.push(always())).toBe(undefined);
  writeFileSync(join(first.cwd, "done"), "done\n");
  git(first.cwd, "add", ".");
  git(first.cwd, "commit", "--quiet", "-m", "done");
  expect(await first.push(always())).toMatchObject({ repository, branch: "troupe/crew/ann-1" });
  expect(await first.push(always())).toBe(undefined);
  writeFileSync(join(first.cwd, "half"), "half\n");
  const work = await first.end(always());
  expect(git(remote, "log", "--format=%an: %s", "troupe/crew/ann-1")).toBe(
    "ann of crew: What was not committed when its agent ended\nt: done\nt: one",
  );
  expect(git(remote, "rev-parse", "troupe/crew/ann-1")).toBe(work?.commit);
  expect(existsSync(first.cwd), "nothing is in it that is not on the remote").toBe(false);
  const second = await checkouts(asked("2", undefined, work ?? null), always());
  expect(readFileSync(join(second.cwd, "half"), "utf8")).toBe("half\n");
  expect(second.branch).toBe("troupe/crew/ann-2");
  expect(await second.end(always())).toBe(undefined);
  expect(git(remote, "branch", "--list", "troupe/*")).toBe("troupe/crew/ann-1");
});

test("two starts work beside each other on one clone; one without a repository has an empty directory", async () => {
  const { checkouts, asked } = openRemote();
  const [one, two] = await Promise.all([checkouts(asked("1"), always()), checkouts(asked("2"), always())]);
  expect(one.cwd).not.toBe(two.cwd);
  for (const { cwd } of [one, two]) expect(readFileSync(join(cwd, "README"), "utf8")).toBe("one\n");
  const plain = await checkouts({ ...asked("3"), spec: {} }, always());
  expect([plain.branch, await plain.end(always())]).toEqual([undefined, undefined]);
});

test("a start whose fetch reads the worktree that another start has half made is tried again", async () => {
  const { opened, checkouts, asked } = openRemote();
  const { cwd } = await checkouts(asked("1"), always());
  const { PATH } = halfMade(git(cwd, "rev-parse", "--absolute-git-dir"));
  const beside = await opened({ ...author, PATH })(asked("2"), always());
  expect(readFileSync(join(beside.cwd, "README"), "utf8")).toBe("one\n");
});

test("what could not be pushed in time stays where it is, whole", async () => {
  const { opened, asked } = openRemote();
  const { PATH } = program(
    "git",
    `PATH=${author.PATH}; case "$*" in *" push "*) exec sleep 1000;; esac; exec git "$@"`,
  );
  const { cwd, end } = await opened({ ...author, PATH })(asked("1"), always());
  writeFileSync(join(cwd, "half"), "half\n");
  await expect(end(AbortSignal.timeout(500))).rejects.toThrow("push");
  expect(git(cwd, "log", "-1", "--format=%s")).toBe("What was not committed when its agent ended");
  expect(readFileSync(join(cwd, "half"), "utf8")).toBe("half\n");
});

test("a commit that was not pushed, and a repository that the host does not work on, are refused with what mends it", async () => {
  const { repository, checkouts, asked } = openRemote();
  const missing = "0123456789012345678901234567890123456789";
  await expect(checkouts(asked("1", { repository, commit: missing }), always())).rejects.toThrow("push it");
  await expect(checkouts(asked("1", { repository: "x/y", commit: missing }), always())).rejects.toThrow("--repo");
});
