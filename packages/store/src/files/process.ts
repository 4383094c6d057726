import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { LeadProcess } from "@troupe/protocol";
import { assertGiven } from "@troupe/protocol/rules";

/**
 * Does it run? Undefined for a process of another machine or container, and wherever that cannot be
 * told.
 */
export function isRunningHere(lead: LeadProcess): boolean | undefined {
  assertGiven("isRunningHere", lead, {});
  const { pid, pidSpace, procStart } = lead;
  try {
    if (pid < 1 || pidSpace !== pidSpaceHere()) return undefined;
    process.kill(pid, 0);
    const { state, start } = statOf(pid);
    // A zombie has ended; only its parent has not asked how.
    return state !== "Z" && state !== "X" && (procStart === undefined || procStart === start);
  } catch (error) {
    return (error as { code?: unknown }).code === "ESRCH" ? false : undefined;
  }
}

/** This process, as `processHere` names it. */
export const thisProcess = (): LeadProcess => processHere(process.pid);

/**
 * A process of this machine, as `isRunningHere` can judge it later; where there is no /proc, by its
 * number alone, which is not judged.
 */
export function processHere(pid: number): LeadProcess {
  try {
    const here = { pid, pidSpace: pidSpaceHere() };
    return existsSync(`/proc/${pid}`) ? { ...here, procStart: statOf(pid).start } : here;
  } catch {
    return { pid };
  }
}

const pidSpaceHere = (): string => `${hostname()}#${readlinkSync("/proc/self/ns/pid")}`;

/** The start, in ticks, is the twentieth field behind a name that may hold anything. */
function statOf(pid: number): { readonly state: string; readonly start: string } {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", start: fields[19] ?? "" };
}
