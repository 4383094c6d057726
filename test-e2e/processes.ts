import { readdirSync, readFileSync } from "node:fs";

/** The ids of processes with these words on their command line. */
export const processesOf = (words: string): string[] =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandLine(name).includes(words));

/** The ids of processes that have this variable: a program may hide its command line. */
export const processesWith = (variable: string): string[] =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && told(name, "environ").includes(`${variable}=`));

/** The ids of the processes that this one started. */
export const childrenOf = (parent: number): number[] =>
  readdirSync("/proc")
    .filter(
      (name) => /^\d+$/.test(name) && / \S (\d+)/.exec(told(name, "stat").replace(/.*\)/s, ""))?.[1] === `${parent}`,
    )
    .map(Number);

/** A process that has ended may stay in the table until somebody asks how it did. */
export const isRunning = (pid: string): boolean => /\) [^ZX] /.test(told(pid, "stat"));

/** Kills what still runs of them: one that was found may end by itself meanwhile. */
export function killAll(pids: readonly (string | number)[], signal: NodeJS.Signals = "SIGKILL"): void {
  for (const pid of pids) {
    try {
      process.kill(Number(pid), signal);
    } catch {
      // It has ended.
    }
  }
}

const commandLine = (pid: string): string => told(pid, "cmdline");

function told(pid: string, file: "cmdline" | "environ" | "stat"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
