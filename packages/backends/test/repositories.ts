import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createWorktrees, type WorktreesDeps } from "../src/worktree/index.ts";

/**
 * A directory that is gone after the test; one that runs beside others says itself when that is.
 */
export function scratch(onFinished = onTestFinished, below = tmpdir()): string {
  const directory = realpathSync(mkdtempSync(join(below, "troupe-backends-")));
  onFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The environment of git in tests: nothing from this machine. */
export const environment = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
  TMPDIR: tmpdir(),
};

export const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();

export function write(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

/** A repository of one commit. */
export function repository(files: Readonly<Record<string, string>> = { "a.txt": "a\n" }, root = scratch()): string {
  git(dirname(root), "init", "--quiet", "--initial-branch=main", root);
  write(root, files);
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "--allow-empty", "--message=first");
  return root;
}

export const worktreesOf = (cwd: string, deps: Partial<WorktreesDeps> = {}) =>
  createWorktrees({
    cwd,
    environment,
    warn: (message) => {
      throw new Error(message);
    },
    ...deps,
  });

/** A program on a path of its own, before all others. */
export function program(name: string, text: string): { directory: string; PATH: string } {
  const directory = scratch();
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return { directory, PATH: `${directory}:${environment.PATH}` };
}

/** A git that finds a new worktree half made by another one, until a fetch has failed for it. */
export function halfMade(directory: string): { readonly PATH: string } {
  const head = join(directory, "HEAD");
  const made = readFileSync(head, "utf8");
  writeFileSync(head, `${"0".repeat(40)}\n`);
  const whole = `printf %s '${made}' > '${head}'`;
  const real = `PATH=${environment.PATH} command git "$@"`;
  const { PATH } = program("git", `${real}; code=$?; case "$code $*" in [1-9]*" fetch "*) ${whole};; esac; exit $code`);
  return { PATH };
}

/** The text of a file, as soon as it has any. */
export async function written(file: string): Promise<string> {
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await delay(5);
  return readFileSync(file, "utf8").trim();
}

export const never = new AbortController().signal;
