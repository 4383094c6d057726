import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { createHooks, type Hooks, type HooksDeps } from "../src/hooks/hooks.ts";
import { scratch } from "./scratch.ts";

/** Hooks of a session in a directory of its own, which hold nothing but what is given. */
export function hooked(
  hooks: Readonly<Record<string, unknown>>,
  deps: Partial<HooksDeps> = {},
): Hooks & { cwd: string } {
  const cwd = deps.projectDir ?? scratch();
  const made = createHooks({
    sources: [{ origin: "test", hooks: hooks as HooksDeps["sources"][number]["hooks"] }],
    surroundings: () => ({ session_id: "s", transcript_path: join(cwd, "t.jsonl"), cwd }),
    projectDir: cwd,
    environment: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    ...deps,
  });
  onTestFinished(() => made.close());
  return { ...made, cwd };
}

/** Groups of one command hook each. */
export const commands = (...all: string[]) => all.map((command) => ({ hooks: [{ type: "command", command }] }));

/** Writes a script and gives its path. */
export function script(directory: string, name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

export const never = new AbortController().signal;

/** Resolves when the process has ended. */
export async function gone(pid: number): Promise<void> {
  await untilSeen(`the end of process ${pid}`, () => !isAlive(pid));
}

/** A process that has ended may stay in the table for a while. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** The process whose number a script wrote down. */
export const pidIn = (directory: string, name: string): number => Number(readFileSync(join(directory, name), "utf8"));
