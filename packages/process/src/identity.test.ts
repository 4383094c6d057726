import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { hasEnded, startOf } from "./identity.ts";

function sleeper(): ChildProcess & { readonly pid: number } {
  const child = spawn("sleep", ["300"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child as ChildProcess & { readonly pid: number };
}

test("the start of a process stays the same while it runs, and there is none once it has ended", async () => {
  const child = sleeper();
  const start = await startOf(child.pid);
  expect(start).toEqual(expect.stringMatching(/\S/));
  expect(await startOf(child.pid)).toBe(start);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await startOf(child.pid)).toBeUndefined();
});

test("a process has ended that runs no more or whose id another has, and of one in another container that is not said", async () => {
  const child = sleeper();
  const startedAt = (await startOf(child.pid)) ?? "";
  expect(await hasEnded({ pid: child.pid, startedAt })).toBe(false);
  expect(await hasEnded({ pid: child.pid, startedAt: startedAt.replace(/\d+$/, "1") })).toBe(true);
  if (startedAt.includes("pid:[")) {
    expect(await hasEnded({ pid: child.pid, startedAt: startedAt.replace(/pid:\[\d+\]/, "pid:[1]") })).toBe(false);
    expect(await hasEnded({ pid: child.pid, startedAt: startedAt.replace(/^\S+/, "before") })).toBe(true);
  }
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await hasEnded({ pid: child.pid, startedAt })).toBe(true);
});

test("a zombie has ended", async () => {
  // The shell never asks how its child ended: it has become a program that knows of none.
  const child = spawn("sh", ["-c", "sh -c 'echo $$' & exec sleep 300"], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [pid] = await once(child.stdout.setEncoding("utf8"), "data");
  while ((await startOf(Number(pid))) !== undefined) await new Promise((resolve) => setImmediate(resolve));
  expect(process.kill(Number(pid), 0)).toBe(true);
});
