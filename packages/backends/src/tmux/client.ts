import { runProcess } from "@troupe/process";
import { TroupeError } from "@troupe/protocol";
import type { BackendRecord } from "../records.ts";

interface ClientDeps {
  /** The flags that say where the server is: `-S` and its socket, or `-L` and a name. */
  readonly server: readonly string[];
  /** What a client gets, and a server that it starts. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface PlaceDeps {
  /** That of the lead: says where tmux is, and of a backend in which it is. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The socket of the server outside tmux; absent: that of the name `troupe`. */
  readonly socket?: string | undefined;
}

/** What a client of tmux gets, and a server that it starts. */
const clientVariables = "PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TERM TMUX_TMPDIR".split(" ");

/** Commands for the server in which a teammate is, or is to be. */
export function clientsIn({ environment, socket }: PlaceDeps): (place: Pick<BackendRecord, "server">) => Tmux {
  const own = socket === undefined ? ["-L", "troupe"] : ["-S", socket];
  const given = clientVariables.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return ({ server }) =>
    createTmux({ server: server ? ["-S", server.socket] : own, environment: Object.fromEntries(given) });
}

/** The outcome of commands of tmux. */
export interface TmuxEnd {
  readonly isFine: boolean;
  readonly stdout: string;
  /** The error message of tmux. */
  readonly words: string;
}

/** One command of tmux: its name and its arguments, which no shell sees. */
export type Command = readonly string[];

/** Runs commands in one client, one after the other; one that fails is the last. */
export type Tmux = (...commands: readonly Command[]) => Promise<TmuxEnd>;

/** A command takes milliseconds; a server that was stopped never answers. */
const timeoutMs = 10_000;
/** Longer than a list of all panes, whose start commands are at most 16 KiB each. */
const keptBytes = 1 << 22;

function createTmux({ server, environment }: ClientDeps): Tmux {
  return async (...commands) => {
    // No user's configuration: a server that is started here has no other task than ours.
    const args = ["-u", "-f", "/dev/null", ...server, ...wordsOf(commands)];
    const run = { program: "tmux", args, cwd: "/", environment, timeoutMs, keptBytes };
    // The server that a client starts is to live on.
    const { code, stdout, stderr, failure } = await runProcess({ ...run, endsAll: true });
    const words = failure ? `tmux ${failure}` : stderr.trim() || `tmux ended with ${code}`;
    return { isFine: code === 0, stdout, words };
  };
}

/** A semicolon at the end of a word separates commands, unless a backslash stands before it. */
function wordsOf(commands: readonly Command[]): readonly string[] {
  return commands.flatMap((command, index) => [
    ...(index === 0 ? [] : [";"]),
    ...command.map((word) => word.replace(/;$/, "\\;")),
  ]);
}

/** Whether no server answers at the socket: it ended, or there never was one. */
export const isServerGone = ({ isFine, words }: TmuxEnd): boolean =>
  !isFine && /no server running|error connecting|server exited|lost server/.test(words);

/** An error that says what tmux did not do, why, and what helps. */
export function refused(what: string, { words }: Pick<TmuxEnd, "words">): TroupeError {
  const fix = fixes.find(([pattern]) => pattern.test(words))?.[1] ?? "choose another display mode";
  return new TroupeError("teammate_failed", `tmux ${what}: ${words}; ${fix}`, { words });
}

const fixes: readonly (readonly [RegExp, string])[] = [
  [/ENOENT|it is version/, "install tmux 3.2 or newer, or choose another display mode"],
  [/no space for new pane/, "make the window larger, or choose another display mode"],
  [/no server running|error connecting|server exited|lost server/, "start in a tmux that runs, or outside tmux"],
  [/can't find pane/, "start in a pane of that server, or unset TMUX"],
];
