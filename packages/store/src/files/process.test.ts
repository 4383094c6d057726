import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { isRunningHere, processHere, thisProcess } from "./process.ts";

/** Elsewhere no process is judged. */
const isLinux = existsSync("/proc/self/ns/pid");
const pidSpace = isLinux ? `${hostname()}#${readlinkSync("/proc/self/ns/pid")}` : "here";
const procStart = isLinux ? /.*\)(?: \S+){19} (\d+) /.exec(readFileSync("/proc/self/stat", "latin1"))?.[1] : "1";
const ifLinux = (judgement: boolean) => (isLinux ? judgement : undefined);

test("a process of another space, or of none that is named, is not judged", () => {
  expect(isRunningHere({ pid: process.pid })).toBeUndefined();
  for (const elsewhere of [`x${pidSpace}`, `${pidSpace}x`, "vm#pid:[1]"]) {
    expect(isRunningHere({ pid: process.pid, pidSpace: elsewhere })).toBeUndefined();
  }
});

test("this process runs, by its number and by its start", () => {
  expect(isRunningHere({ pid: process.pid, pidSpace })).toBe(ifLinux(true));
  expect(isRunningHere({ pid: process.pid, pidSpace, procStart: procStart ?? "" })).toBe(ifLinux(true));
});

test("a process that has its number but began at another time is another one", () => {
  expect(isRunningHere({ pid: process.pid, pidSpace, procStart: `${procStart}0` })).toBe(ifLinux(false));
});

test("a process is told by its number and judged by it, one that is not there too", () => {
  expect(processHere(process.ppid)).toMatchObject({ pid: process.ppid });
  expect(isRunningHere(processHere(process.ppid))).toBe(ifLinux(true));
  expect(isRunningHere(processHere(2 ** 30))).toBe(ifLinux(false));
});

test("a process that ended is gone", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  expect(isRunningHere({ pid: child.pid ?? 0, pidSpace })).toBe(ifLinux(false));
});

test("numbers that name a group, or no process, are not judged", () => {
  for (const pid of [0, -1, -process.pid]) expect(isRunningHere({ pid, pidSpace })).toBeUndefined();
});

test("this process is told by number, space and start, and judged by them", () => {
  const own = thisProcess();
  expect(own.pid).toBe(process.pid);
  if (isLinux) expect([own.pidSpace, own.procStart]).toEqual([pidSpace, procStart]);
  expect(isRunningHere(own)).toBe(ifLinux(true));
});

test("a process that ended is gone, also while its parent has not asked after it", async () => {
  const parent = spawn("sh", ["-c", "sleep 100 & echo $!; exec sleep 100"], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = await once(parent.stdout, "data");
  const pid = Number(String(said));
  const readOf = (of: number | undefined, name: string) => readFileSync(`/proc/${of}/${name}`, "latin1");
  // A shell may ask after its children; what it becomes never does.
  while (isLinux && !readOf(parent.pid, "cmdline").startsWith("sleep")) await new Promise(setImmediate);
  expect(isRunningHere({ pid, pidSpace })).toBe(ifLinux(true));
  process.kill(pid, "SIGKILL");
  while (isLinux && !readOf(pid, "stat").includes(") Z ")) await new Promise(setImmediate);
  expect(isRunningHere({ pid, pidSpace })).toBe(ifLinux(false));
  parent.kill("SIGKILL");
  await once(parent, "exit");
});
