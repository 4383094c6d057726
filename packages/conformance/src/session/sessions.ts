import { spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { speak } from "../command/phrase.ts";
import type { Words } from "../command/target-file.ts";
import { untestable } from "../fault.ts";
import type { Isolation } from "../run/isolation.ts";
import { signalGroup } from "../run/signal-group.ts";
import type { Params, ProcOptions } from "../target.ts";

/**
 * lead: a session with one task, which may lead a team. screen: the same with a person before it,
 * who types. teammate: a member that a lead of another make started by the flags of the protocol.
 */
export type SessionRole = "lead" | "screen" | "teammate";

/** How a target's sessions are started, as its `target.yaml` says. */
export interface SessionFile {
  readonly lead?: Words;
  readonly screen?: Words;
  readonly teammate?: Words;
  /** `{url}` is the address of the model, `{key}` a key that opens nothing. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a session works, and what its command is told. */
export interface SessionPlace {
  /** The project. */
  readonly cwd: string;
  /** The address of the Messages API that the suite plays. */
  readonly url: string;
  readonly params: Params;
  readonly env?: Readonly<Record<string, string>>;
  /** Starts it elsewhere than as a child without a terminal. */
  readonly begin?: Begin;
}

/** Starts a program with these variables alone. */
export type Begin = (argv: readonly string[], cwd: string, env: Readonly<Record<string, string>>) => RunningSession;

export interface RunningSession {
  readonly pid: number | undefined;
  /** How it ended; undefined while it runs. */
  ended(): string | undefined;
  /** The end of what it printed. */
  output(): string;
  kill(): Promise<void>;
}

/** The target's own commands that start sessions. */
export interface Sessions {
  /** Those that it has a command for. */
  readonly roles: readonly SessionRole[];
  start(role: SessionRole, start: ProcOptions & SessionPlace): RunningSession;
}

export interface SessionsDeps {
  readonly file: SessionFile;
  readonly homeEnv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
}

const maxOutput = 8_000;

export function openSessions({ file, homeEnv, env, isolation }: SessionsDeps): Sessions {
  return {
    roles: (["lead", "screen", "teammate"] as const).filter((role) => file[role] !== undefined),
    start(role, start) {
      const { root, home, cwd, url, revision, params, begin = beginAsChild } = start;
      const known = { revision, url, key: "of-no-use", cwd };
      const run = file[role];
      const spoken = run && speak([{ run }], `session.${role}`, params, known);
      if (!spoken) throw untestable(`target.yaml has no session command that says ${role} ${JSON.stringify(params)}`);
      if (homeEnv.includes("HOME")) symlinkSync(root, join(home, ".claude"));
      const named = Object.fromEntries(homeEnv.filter((name) => name !== "HOME").map((name) => [name, root]));
      const set = Object.entries(file.env ?? {}).map(([name, text]) => [name, filledIn(text, known)]);
      const environment = {
        ...isolation.environment(start),
        ...named,
        ...env,
        ...Object.fromEntries(set),
        ...start.env,
      };
      return begin(spoken.argv, cwd, environment);
    },
  };
}

const filledIn = (text: string, known: Readonly<Record<string, string>>): string =>
  text.replace(/\{([a-z]+)\}/g, (whole, name: string) => known[name] ?? whole);

/** A session is not cut off from the network: the model that the suite plays is on loopback. */
const beginAsChild: Begin = ([command = "", ...args], cwd, env) => {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let [output, how] = ["", undefined as string | undefined];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-maxOutput);
    });
  const over = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      how = `it could not be started: ${error.message}`;
      resolve();
    });
    child.once("exit", (code, signal) => {
      how = signal ? `it ended by ${signal}` : `it ended with exit code ${code}`;
      resolve();
    });
  });
  return {
    pid: child.pid,
    ended: () => how,
    output: () => output,
    async kill() {
      signalGroup(child, "SIGKILL");
      await over;
    },
  };
};
