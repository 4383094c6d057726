import { readdirSync, readFileSync } from "node:fs";

/** The ids of processes with these words on their command line. */
export const processesOf = (words: string): string[] =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandLine(name).includes(words));

/** The ids of processes that have this variable: a program may hide its command line. */
export const processesWith = (variable: string): string[] =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && told(name, "environ").includes(`${variable}=`));

const commandLine = (pid: string): string => told(pid, "cmdline");

function told(pid: string, file: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
