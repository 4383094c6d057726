import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

export interface GitDeps {
  readonly environment: Readonly<Record<string, string>>;
  /** The longest that one command may take. */
  readonly timeoutMs: number;
}

/** How a command of git ended. */
export interface GitEnd {
  readonly isFine: boolean;
  readonly stdout: string;
  /** What went wrong, as git says it. */
  readonly words: string;
}

export type Git = (cwd: string, args: readonly string[], signal?: AbortSignal) => Promise<GitEnd>;

/**
 * A repository may name programs that git runs: hooks and a file system monitor are of no use here, and a directory that only looks like a
 * repository is none. Filters of the configuration stay, since files are not what they should be without them. New files are seen even by
 * a user who hides them from `git status`, or git would remove them with their worktree.
 */
const settings = Object.entries({
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "safe.bareRepository": "explicit",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "checkout.workers": "8",
  "status.showUntrackedFiles": "normal",
}).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** Git asks nobody, and says what it says in the words that are looked for here. */
const silence = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_OPTIONAL_LOCKS: "0",
  LC_ALL: "C",
};

/** What binds git to one repository, as it does inside a hook of git. */
const bound = new Set(
  (
    "GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES " +
    "GIT_NAMESPACE GIT_PREFIX GIT_SHALLOW_FILE GIT_GRAFT_FILE GIT_REPLACE_REF_BASE GIT_NO_REPLACE_OBJECTS GIT_CONFIG"
  ).split(" "),
);

/** How much of what it prints is kept; nothing that is read here is longer. */
const keptBytes = 1 << 16;
/** How long git may take to put its locks away after it was told to end. */
const graceMs = 2_000;
/** How long output may stay open after its end. */
const openMs = 500;

/** Runs git in a process group of its own, without a terminal or anything to read; nothing of the group outlives the command. */
export function createGit({ environment, timeoutMs }: GitDeps): Git {
  const unbound = Object.fromEntries(Object.entries(environment).filter(([name]) => !bound.has(name)));
  const env = { ...unbound, ...silence };
  return (cwd, args, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve({ isFine: false, stdout: "", words: "git was cancelled" });
      const child = spawn("git", [...settings, ...args], {
        ...{ cwd, env, detached: true },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const stdout = beginningOf(child.stdout);
      const stderr = beginningOf(child.stderr);
      const timers: NodeJS.Timeout[] = [];
      let failure: string | undefined;
      const end = (why: string) => {
        failure ??= why;
        toGroup(child, "SIGTERM");
        timers.push(setTimeout(() => toGroup(child, "SIGKILL"), graceMs));
      };
      const cancel = () => end("git was cancelled");
      const finish = (code: number | null, fault?: string) => {
        for (const timer of timers) clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
        const words = failure ?? fault ?? (stderr().trim() || `git ended with ${code}`);
        resolve({ isFine: code === 0 && failure === undefined, stdout: stdout(), words });
      };
      signal?.addEventListener("abort", cancel, { once: true });
      timers.push(setTimeout(() => end(`git ${args.join(" ")} took longer than ${timeoutMs / 1_000} s`), timeoutMs));
      child.once("error", ({ message }) =>
        finish(null, `git could not be started in ${cwd} (${message}); is it installed?`),
      );
      child.once("exit", () => {
        toGroup(child, "SIGKILL");
        timers.push(setTimeout(() => [child.stdout, child.stderr].map((stream) => stream.destroy()), openMs));
      });
      child.once("close", (code) => finish(code));
    });
}

/** Is another git at work in the same repository, or has this one looked at what that one has only half written? */
export const isBusy = ({ isFine, words }: GitEnd): boolean =>
  !isFine && /File exists|failed to read .*commondir/.test(words);

/** Tries again while other gits are in the way, for half a minute at most. */
export async function patiently(attempt: () => Promise<GitEnd>, signal?: AbortSignal, maxTries = 60): Promise<GitEnd> {
  for (let tries = 1; ; tries += 1) {
    const end = await attempt();
    if (tries === maxTries || signal?.aborted || !isBusy(end)) return end;
    await delay(Math.min(tries * 20, 1_000));
  }
}

function toGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing is left of it.
  }
}

function beginningOf(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let room = keptBytes;
  stream.on("data", (chunk: Buffer) => {
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
  });
  return () => Buffer.concat(chunks).toString("utf8");
}
