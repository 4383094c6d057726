import { type ChildProcess, spawn } from "node:child_process";
import { endTree } from "../process-tree.ts";

/** How much of each stream is kept; the rest is read and dropped, so that a flood neither blocks the command nor fills memory. */
const keptBytes = 1 << 20;

/** How long the output of a command that has ended may stay open. */
const graceMs = 500;

/** A program to run to its end, in its own process group. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What it reads from its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
}

export interface CommandEnd {
  /** Absent when it was killed or never started. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it has no exit code of its own. */
  readonly failure?: string;
}

/** Runs a command to its end and kills what it left in its process group; when it has to be stopped, everything below it is ended. */
export function runCommand(command: Command, signal: AbortSignal): Promise<CommandEnd> {
  const { program, args, cwd, environment, input, timeoutMs } = command;
  return new Promise((resolve) => {
    const nothing = { code: null, stdout: "", stderr: "" };
    if (signal.aborted) return resolve({ ...nothing, failure: "was cancelled" });
    let child: ChildProcess;
    try {
      child = spawn(program, args, { cwd, env: environment, detached: true, stdio: "pipe" });
    } catch (error) {
      return resolve({ ...nothing, failure: `could not be started: ${(error as Error).message}` });
    }
    let failure: string | undefined;
    let ended: Promise<unknown> | undefined;
    let letGo: NodeJS.Timeout | undefined;
    const end = (why: string) => {
      failure ??= why;
      if (child.pid !== undefined) ended ??= endTree(child.pid);
    };
    const cancel = () => end("was cancelled");
    const tooLate = setTimeout(() => end(`took longer than ${timeoutMs / 1_000} s`), timeoutMs);
    signal.addEventListener("abort", cancel, { once: true });

    const stdout = kept(child.stdout);
    const stderr = kept(child.stderr);
    const letBe = () => {
      clearTimeout(tooLate);
      signal.removeEventListener("abort", cancel);
    };
    const finish = async (code: number | null, why: string | undefined) => {
      letBe();
      clearTimeout(letGo);
      await ended;
      const said = { stdout: stdout(), stderr: stderr() };
      resolve(why === undefined ? { code, ...said } : { code: null, ...said, failure: why });
    };
    child.once("error", ({ message }) => finish(null, `could not be started: ${message}`));
    child.once("exit", () => {
      letBe();
      killGroup(child);
      // What left the group may hold the pipes open for ever.
      letGo = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, graceMs);
    });
    child.once("close", (code, by) => finish(code, failure ?? (code === null ? `was killed by ${by}` : undefined)));
    // A command that does not read its input is as good as one that does.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing is left of it.
  }
}

/** Collects the beginning of a stream. */
function kept(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  let room = keptBytes;
  stream?.on("data", (chunk: Buffer) => {
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
  });
  return () => Buffer.concat(chunks).toString("utf8");
}
