import { type ChildProcessByStdio, spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { endTree } from "../process-tree.ts";
import { createOutputFile, type OutputFile } from "./output-file.ts";

/** What a command is run with. */
export interface ShellDeps {
  readonly cwd: string;
  /** All that its commands find in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where long outputs are kept; only for this user. */
  readonly outputs: string;
}

/** How a command ended. */
export interface ShellEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** How many processes it had left behind, which were ended. */
  readonly left: number;
  /** Why it could not be started. */
  readonly fault?: string;
}

/** A command that was started. */
export interface ShellRun {
  readonly output: OutputFile;
  /** Never rejects; when it resolves, nothing that could be found still runs. */
  readonly ended: Promise<ShellEnd>;
  end(): void;
  onOutput(listener: () => void): void;
}

const closeMs = 200;

/**
 * Starts a command in a session of its own, so that it has no terminal to ask, with nothing to read, and with both its outputs in one stream in the
 * order they were written. What it leaves behind in its session ends with it.
 */
export function startShell(command: string, id: string, { cwd, environment, outputs }: ShellDeps): ShellRun {
  mkdirSync(outputs, { recursive: true, mode: 0o700 });
  const output = createOutputFile(join(outputs, `${id}.output`));
  const shell = shellIn(environment);
  let child: ChildProcessByStdio<null, Readable, Readable>;
  try {
    // A second shell takes the place of the first, so that the command is what it would be without the joining of the outputs.
    const joined = ["-c", 'exec 2>&1; exec "$0" -c "$1"', shell, command];
    child = spawn(shell, joined, { cwd, env: environment, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    output.close();
    output.remove();
    throw error;
  }
  const listeners: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes: Buffer) => {
      output.write(bytes);
      for (const listener of listeners) listener();
    });
  }
  let ending: Promise<number> | undefined;
  const endAll = () => {
    ending ??= child.pid === undefined ? Promise.resolve(0) : endTree(child.pid);
    return ending;
  };

  const ended = new Promise<ShellEnd>((resolve) => {
    const closed = new Promise<void>((done) => child.once("close", () => done()));
    child.once("error", (error) => resolve({ code: null, signal: null, left: 0, fault: faultOf(cwd, error) }));
    child.once("exit", async (code, signal) => {
      const left = await endAll();
      // Who left the session may hold the stream for ever.
      const patience = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, closeMs);
      await closed;
      clearTimeout(patience);
      resolve({ code, signal, left });
    });
  });

  return {
    output,
    ended,
    end: () => void (child.exitCode === null && child.signalCode === null && endAll()),
    onOutput: (listener) => void listeners.push(listener),
  };
}

function shellIn(environment: Readonly<Record<string, string>>): string {
  const places = (environment["PATH"] ?? "").split(delimiter).filter(Boolean);
  return places.map((place) => join(place, "bash")).find(isExecutable) ?? "/bin/sh";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const faultOf = (cwd: string, error: Error): string =>
  statSync(cwd, { throwIfNoEntry: false })?.isDirectory()
    ? `The shell could not be started: ${error.message}`
    : `The working directory ${cwd} does not exist any more; make it again, or work elsewhere.`;
