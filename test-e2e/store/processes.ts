import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { test as base } from "vitest";
import { awaited } from "../../scripts/awaited.ts";
import { memory } from "../../scripts/memory.ts";
import { programAt } from "../program.ts";

const running = new Set<ChildProcess>();

const rooted = (parent: () => string) =>
  base.extend<{ root: string }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
    root: async ({}, use) => {
      const root = mkdtempSync(join(parent(), "troupe-processes-"));
      await use(root);
      await Promise.all([...running].map((child) => child.kill("SIGKILL") && once(child, "close")));
      rmSync(root, { recursive: true });
    },
  });

/** A test with a directory of its own, which ends whatever it has started. */
export const test = rooted(tmpdir);
/** The same where many race for files, and a disk has nothing to add but time. */
export const testInMemory = rooted(() => memory);

export interface Running {
  readonly child: ChildProcess;
  /** The output of a process, once it has ended. */
  readonly said: Promise<string[]>;
  /** Resolves once so many lines have said so; rejects when it ends without. */
  heard(pattern: RegExp, times?: number): Promise<void>;
}

export interface Surroundings {
  /** A query of faults.mjs. */
  readonly faults?: string;
  /** The largest file it may write, in blocks of 512 bytes: a disk that is full there. */
  readonly maxBlocks?: number;
}

/** Runs a script, named by its path from here, which finds its task as JSON in its argument. */
export function start(script: string, task: object, { faults, maxBlocks }: Surroundings = {}): Running {
  const at = (file: string) => resolve(import.meta.dirname, file);
  const preload = faults === undefined ? [] : ["--import", `file://${at("faults.mjs")}?${faults}`];
  const command = [process.execPath, ...preload, programAt(at(script)), JSON.stringify(task)];
  const limited = maxBlocks === undefined ? [] : ["sh", "-c", `ulimit -f ${maxBlocks}; exec "$0" "$@"`];
  const [program = "", ...args] = [...limited, ...command];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  child.once("close", () => running.delete(child));
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  let isWhole = true;
  child.stdout.on("data", (chunk: Buffer) => {
    isWhole = chunk.at(-1) === 10;
  });
  // A killed process may have ended in the middle of a line, which says nothing.
  const said = new Promise<string[]>((resolve) =>
    child.once("close", () => resolve(isWhole ? lines : lines.slice(0, -1))),
  );
  return {
    child,
    said,
    heard: (pattern, times = 1) => {
      const coming = new Promise<void>((resolve, reject) => {
        const look = () => {
          if (lines.filter((line) => pattern.test(line)).length < times) return;
          reader.off("line", look);
          resolve();
        };
        reader.on("line", look);
        look();
        child.once("close", () => reject(new Error(`nothing like ${pattern} in ${JSON.stringify(lines)}`)));
      });
      return awaited(`${times} times ${pattern} from ${script}`, coming);
    },
  };
}

/**
 * The output of all processes, once they have ended; until then `look` is called again and again,
 * with a rest between, so that the processes and not the looks fill the machine.
 */
export async function saidBy(running: readonly Running[], look?: () => unknown): Promise<string[][]> {
  let isOver = false;
  const said = Promise.all(running.map((one) => one.said)).finally(() => {
    isOver = true;
  });
  while (look && !isOver) {
    await look();
    await sleep(5);
  }
  return said;
}

/**
 * Works on all, a few at a time: each is a process, and the machine has few cores. After a failure
 * nothing new is begun.
 */
export async function atATime<T>(width: number, all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  const next = async (): Promise<void> => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) {
      await work(one).catch((error: unknown) => {
        rest.length = 0;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: width }, next));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
