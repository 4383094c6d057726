import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { signalGroup } from "../run/signal-group.ts";

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly isLate: boolean;
}

export interface CommandOptions {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** Told the process once it runs. */
  readonly running: (child: ChildProcess) => void;
}

const maxOutput = 16 * 1024 * 1024;

/** Runs one command to its end, in a process group of its own. */
export async function runCommand({ argv, stdin, cwd, env, limitMs, running }: CommandOptions): Promise<Ended> {
  const [command = "", ...args] = argv;
  const child = spawn(command, args, { cwd, env, detached: true, stdio: "pipe" });
  await Promise.race([once(child, "spawn"), once(child, "error").then(([error]) => Promise.reject(error as Error))]);
  running(child);
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    signalGroup(child, "SIGKILL");
  }, limitMs);
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  return { code, signal, stdout: stdout(), stderr: stderr(), isLate };
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    if (text.length < maxOutput) text += chunk;
  });
  return () => text;
}
