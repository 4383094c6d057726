import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Fault, targetFault } from "../fault.ts";
import { signalGroup } from "../run/signal-group.ts";

/** A child process that answers one line with one line. */
export interface LineProcess {
  readonly pid: number | undefined;
  /**
   * The next line, or `undefined` if we killed the process meanwhile. Rejects with a fault when it
   * dies, hangs or floods.
   */
  ask(line: string, limitMs: number): Promise<string | undefined>;
  /** SIGSTOP; its time limit stands still as well. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  kill(): Promise<void>;
  /** It runs, was never stopped, and nothing is asked of it. */
  isIdle(): boolean;
  /** Waits for the end; kills when it does not come. */
  closed(limitMs: number): Promise<{ readonly code: number | null; readonly isKilled: boolean }>;
  stderr(): string;
}

export interface LineProcessOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const maxLine = 64 * 1024 * 1024;
const maxStderr = 4_096;

interface Waiting {
  readonly resolve: (line: string | undefined) => void;
  readonly reject: (fault: Error) => void;
}

export async function startLineProcess({ argv, cwd, env }: LineProcessOptions): Promise<LineProcess> {
  const [command = "", ...args] = argv;
  // A group of its own, so that what the target starts is stopped and killed with it.
  const child = spawn(command, args, { cwd, env, detached: true, stdio: "pipe" });
  await Promise.race([once(child, "spawn"), once(child, "error").then(([error]) => Promise.reject(error as Error))]);

  let waiting: Waiting | undefined;
  let rest = "";
  let stderr = "";
  let isKilled = false;
  let isStopped = false;
  let fate: Fault | undefined;
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));

  const fail = (message: string, evidence: Record<string, unknown> = {}): Fault =>
    targetFault(message, { ...evidence, ...(stderr && { stderr }) });

  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-maxStderr);
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    rest += text;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      if (line.trim() === "") continue;
      const asked = waiting;
      waiting = undefined;
      if (asked) asked.resolve(line);
      else fate ??= fail("it wrote a line that nothing had asked for", { actual: line.slice(0, 500) });
    }
    if (rest.length > maxLine) fate = fail(`it wrote more than ${maxLine} characters without a line break`);
    if (fate && waiting) waiting.reject(fate);
  });
  child.stdin.on("error", () => {});
  child.once("close", (code, signal) => {
    const how = signal ? `by ${signal}` : `with exit code ${code}`;
    fate ??= fail(`the process ended ${how}`, rest.trim() ? { actual: rest.slice(0, 500) } : {});
    if (isKilled) waiting?.resolve(undefined);
    else waiting?.reject(fate);
    waiting = undefined;
  });

  const signal = (name: NodeJS.Signals) => signalGroup(child, name);
  const kill = async () => {
    isKilled = true;
    signal("SIGKILL");
    await exited;
  };

  const limit = openLimit((limitMs) => {
    fate = fail(`no answer within ${Math.round(limitMs)} ms`);
    waiting?.reject(fate);
    waiting = undefined;
    signal("SIGKILL");
  });

  return {
    pid: child.pid,
    kill,
    isIdle: () => !isKilled && !isStopped && !fate && !waiting && child.stdin.writable,
    pause() {
      isStopped = true;
      signal("SIGSTOP");
      limit.pause();
    },
    resume() {
      signal("SIGCONT");
      limit.resume();
    },
    stderr: () => stderr,

    async ask(line, limitMs) {
      if (isKilled) return undefined;
      if (fate) throw fate;
      const answer = new Promise<string | undefined>((resolve, reject) => {
        waiting = { resolve, reject };
      });
      child.stdin.write(`${line}\n`);
      limit.begin(limitMs);
      try {
        return await answer;
      } finally {
        limit.end();
      }
    },

    async closed(limitMs) {
      child.stdin.end();
      const timer = setTimeout(() => void kill(), limitMs);
      const code = await exited;
      clearTimeout(timer);
      return { code, isKilled };
    },
  };
}

/** One time limit at a time, which begins anew after a pause. */
function openLimit(expire: (limitMs: number) => void) {
  let timer: NodeJS.Timeout | undefined;
  let limitMs: number | undefined;
  let isPaused = false;
  const arm = () => {
    clearTimeout(timer);
    const ms = limitMs;
    if (ms !== undefined && !isPaused) timer = setTimeout(() => expire(ms), ms);
  };
  return {
    begin(ms: number) {
      limitMs = ms;
      arm();
    },
    end() {
      limitMs = undefined;
      clearTimeout(timer);
    },
    pause() {
      isPaused = true;
      clearTimeout(timer);
    },
    resume() {
      isPaused = false;
      arm();
    },
  };
}
