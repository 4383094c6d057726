import { setTimeout as delay } from "node:timers/promises";
import { runProcess } from "@troupe/process";

export interface GitDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The longest that one command may take. */
  readonly timeoutMs: number;
}

/** The outcome of a git command. */
export interface GitEnd {
  readonly isFine: boolean;
  readonly stdout: string;
  /** The error message of git. */
  readonly words: string;
}

export interface GitMore {
  /** The text for its standard input. */
  readonly input?: string;
  /** An index in the place of the usual one. */
  readonly index?: string;
}

export type Git = (cwd: string, args: readonly string[], signal?: AbortSignal, more?: GitMore) => Promise<GitEnd>;

/**
 * A repository may name programs that git runs: hooks and a file system monitor are of no use here,
 * and a directory that only looks like a repository is none. Filters of the configuration stay,
 * since files are not what they should be without them. New files are seen even by a user who hides
 * them from `git status`, or git would remove them with their worktree.
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

/** The environment variables that bind git to one repository, as inside a hook of git. */
const bound = new Set(
  (
    "GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES " +
    "GIT_NAMESPACE GIT_PREFIX GIT_SHALLOW_FILE GIT_GRAFT_FILE GIT_REPLACE_REF_BASE GIT_NO_REPLACE_OBJECTS GIT_CONFIG"
  ).split(" "),
);

/** The bytes of output that are kept: the lines of more files than any repository has. */
const keptBytes = 1 << 29;

/**
 * Runs git without a terminal or anything to read; nothing that it started outlives the command.
 */
export function createGit({ environment, timeoutMs }: GitDeps): Git {
  const unbound = Object.fromEntries(Object.entries(environment).filter(([name]) => !bound.has(name)));
  const run = { program: "git", environment: { ...unbound, ...silence }, timeoutMs, keptBytes };
  return async (cwd, args, signal, { input, index } = {}) => {
    const own = index === undefined ? run : { ...run, environment: { ...run.environment, GIT_INDEX_FILE: index } };
    const all = { ...own, args: [...settings, ...args], cwd, input };
    const { code, stdout, stderr, failure } = await runProcess(all, signal);
    if (failure?.startsWith("could not be started"))
      return { isFine: false, stdout, words: `git ${failure} in ${cwd}; is it installed?` };
    const words = failure ? `git ${args.join(" ")} ${failure}` : stderr.trim() || `git ended with ${code}`;
    return { isFine: code === 0, stdout, words };
  };
}

/**
 * True when another git holds a lock of the repository, or this one read what is half made, as a
 * fetch does that looks at the HEAD of a new worktree: retry.
 */
export const isBusy = ({ isFine, words }: GitEnd): boolean =>
  !isFine && /File exists|failed to read .*commondir|bad object worktrees\//.test(words);

/** Tries again while other gits are in the way, for half a minute at most. */
export async function patiently(attempt: () => Promise<GitEnd>, signal?: AbortSignal, maxTries = 60): Promise<GitEnd> {
  for (let tries = 1; ; tries += 1) {
    const end = await attempt();
    if (tries === maxTries || signal?.aborted || !isBusy(end)) return end;
    await delay(Math.min(tries * 20, 1_000));
  }
}
