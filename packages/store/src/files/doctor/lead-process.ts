import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { LeadProcess } from "@troupe/protocol";

/** Does it run? Undefined for a process of another machine or container, and wherever that cannot be told. */
export function isRunningHere({ pid, pidSpace, procStart }: LeadProcess): boolean | undefined {
  try {
    if (pid < 1 || pidSpace !== `${hostname()}#${readlinkSync("/proc/self/ns/pid")}`) return undefined;
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The start, in ticks, is the twentieth field behind a name that may hold anything.
    return procStart === undefined || procStart === stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch (error) {
    return (error as { code?: unknown }).code === "ESRCH" ? false : undefined;
  }
}
