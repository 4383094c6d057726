import type { Socket } from "node:net";
import type { Duplex, Readable, Writable } from "node:stream";
import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";
import { execa } from "execa";
import { endTree } from "./end-tree.ts";

/** A program to start, without a shell; its environment is exactly the given one. */
export interface Start {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Given to it as its file 3. */
  readonly attached?: Uint8Array | undefined;
  /** It can be written to; without it, it finds nothing to read. */
  readonly hasInput?: boolean | undefined;
  /** Something else ends what it leaves behind, at once and without exception. */
  readonly endsAll?: boolean | undefined;
}

/** A started program. It leads its own session, so that it has no terminal to prompt on. */
export interface Running {
  readonly pid: number | undefined;
  readonly input: Writable | undefined;
  readonly output: Readable;
  readonly errors: Readable;
  /**
   * Never rejects; when it resolves, nothing that can be found still runs, and no output comes any
   * more.
   */
  readonly ended: Promise<ProcessEnd>;
  /** Ends it with everything below it; resolves when nothing of it can be found. */
  end(): Promise<void>;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** The number of processes that it had left behind, which were ended. */
  readonly left: number;
  /** Why it could not be started. */
  readonly fault?: string | undefined;
}

/** How long the outputs of an exited program may stay open while nothing comes. */
const openMs = 200;

/**
 * Closes the outputs of an exited program: a process outside its session can hold them for ever. A
 * busy event loop runs its timers before it reads, so what came by then is read first.
 */
async function letGo(streams: readonly Readable[], signal: AbortSignal): Promise<void> {
  const readSoFar = () => streams.reduce((sum, stream) => sum + ((stream as Partial<Socket>).bytesRead ?? 0), 0);
  for (let before = -1; before !== readSoFar(); ) {
    before = readSoFar();
    await delay(openMs, undefined, { signal }).catch(() => {});
    await nextRound();
    if (signal.aborted) return;
  }
  for (const stream of streams) stream.destroy();
}

/** A program that outlives this process; its file 3 can be written to here. */
export interface Detached {
  readonly pid: number | undefined;
  readonly gate: Duplex;
  /** Never rejects. */
  readonly ended: Promise<Omit<ProcessEnd, "left">>;
}

/** Starts a program that leads its own session and has no output; this process may end before. */
export function startDetached({ program, args, cwd, environment }: Start): Detached {
  const stdio = ["ignore", "ignore", "ignore", "pipe"] as const;
  const child = execa(program, args, { ...alone, cwd, env: environment, stdio });
  const gate = child.stdio[3] as unknown as Duplex & { unref?(): void };
  // A program that has ended closes its side.
  gate.on("error", () => {});
  gate.unref?.();
  child.unref();
  return { pid: child.pid, gate, ended: child.then(endOf) };
}

/** Its end is ours to bring about, with everything below it, and its output ours to read. */
const alone = { extendEnv: false, detached: true, cleanup: false, buffer: false, reject: false } as const;

/**
 * Runs a program at the terminal of this process, which it has to itself until it ends; null where
 * a signal ended it or it could not be started.
 */
export async function runAtTerminal({
  program,
  args,
  cwd,
  environment,
}: Pick<Start, "program" | "args" | "cwd" | "environment">): Promise<{ readonly code: number | null }> {
  const options = { cwd, env: environment, extendEnv: false, stdio: "inherit", reject: false } as const;
  const { exitCode = null } = await execa(program, args, options);
  return { code: exitCode };
}

export function startProcess({ program, args, cwd, environment, attached, hasInput, endsAll }: Start): Running {
  const child = execa(program, args, {
    ...alone,
    cwd,
    env: environment,
    stdio: [hasInput ? "pipe" : "ignore", "pipe", "pipe", ...(attached === undefined ? [] : [attached])],
  });
  const { pid } = child;
  const output = child.stdout as Readable;
  const errors = child.stderr as Readable;
  // A program that does not read its input is as good as one that does.
  child.stdin?.on("error", () => {});
  let ending: Promise<number> | undefined;
  /** Once: later the number of the process may be another's. */
  const endAll = (): Promise<number> => {
    ending ??= pid === undefined ? Promise.resolve(0) : endTree({ leader: pid }).then(({ found }) => found);
    return ending;
  };

  const ended = new Promise<ProcessEnd>((resolve) => {
    const over = new AbortController();
    let left = Promise.resolve(0);
    child.once("exit", () => {
      left = endsAll ? left : endAll();
      void left.then(() => letGo([output, errors], over.signal));
    });
    void child.then(async (result) => {
      const found = await left;
      over.abort();
      resolve({ ...endOf(result), left: found });
    });
  });

  return {
    pid,
    input: child.stdin ?? undefined,
    output,
    errors,
    ended,
    async end() {
      if (child.exitCode === null && child.signalCode === null) await endAll();
      await ended;
    },
  };
}

/** What execa tells of an end; a program that was never started has a fault instead of one. */
interface Ended {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly originalMessage?: string | undefined;
  readonly shortMessage?: string | undefined;
}

function endOf({ exitCode, signal, originalMessage, shortMessage }: Ended): Omit<ProcessEnd, "left"> {
  if (exitCode !== undefined || signal !== undefined) return { code: exitCode ?? null, signal: signal ?? null };
  return { code: null, signal: null, fault: originalMessage ?? shortMessage ?? "it was not started" };
}
