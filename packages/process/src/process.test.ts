import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { runProcess } from "./run.ts";
import { startProcess } from "./start.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "process-")));
afterAll(() => rmSync(top, { recursive: true }));
let places = 0;
/** A place of its own, and a script in it. */
function shell(script: string) {
  places += 1;
  const cwd = join(top, `${places}`);
  mkdirSync(cwd);
  return { program: "/bin/bash", args: ["-c", script], cwd, environment: { PATH: process.env["PATH"] ?? "" } };
}

const limits = { timeoutMs: 60_000, keptBytes: 1 << 20 };
const pidIn = (cwd: string, name: string): number => Number(readFileSync(join(cwd, name), "utf8"));
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

test("a program finds its arguments as they are, its environment alone, and nothing to read", async () => {
  const place = shell("");
  const script = 'printf "%s|" "$0" "$@"; cat; env | sed "s/=.*//" | grep -vE "^(PWD|OLDPWD|SHLVL|_)$"';
  const end = await runProcess({ ...place, args: ["-c", script, "a b", "$(x)", "*", ""], ...limits });
  expect(end).toEqual({ code: 0, stdout: "a b|$(x)|*||PATH\n", stderr: "", failure: undefined });
});

test("it reads what it is given, and one that reads nothing of it ends like others", async () => {
  const input = "x".repeat(1 << 20);
  expect((await runProcess({ ...shell("wc -c"), ...limits, input })).stdout.trim()).toBe(`${input.length}`);
  expect((await runProcess({ ...shell("exit 3"), ...limits, input })).code).toBe(3);
});

test("the beginning of each output is kept, however much follows", async () => {
  const { code, stdout, stderr } = await runProcess({
    ...shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2"),
    ...limits,
  });
  expect([code, stdout.length, stderr.length]).toEqual([0, 1 << 20, 1 << 20]);
});

test("a program that cannot be started is reported, and so is a signal", async () => {
  const missing = await runProcess({ ...shell(""), program: join(top, "missing", "program"), ...limits });
  expect(missing).toMatchObject({ code: null, failure: expect.stringMatching(/^could not be started: .*ENOENT/) });
  expect(await runProcess({ ...shell("kill -9 $$"), ...limits })).toMatchObject({
    code: null,
    failure: "was killed by SIGKILL",
  });
  const cancelled = AbortSignal.abort();
  const place = shell("touch ran");
  expect(await runProcess({ ...place, ...limits }, cancelled)).toMatchObject({ failure: "was cancelled" });
  expect(existsSync(join(place.cwd, "ran"))).toBe(false);
});

/**
 * Everything that a program can leave behind; processes with a living parent, or in its session,
 * are found.
 */
const tree =
  "sleep 300 & echo $! > child; setsid sleep 300 & echo $! > fled; (trap '' TERM; while :; do sleep 1; done) & echo $! > stubborn; " +
  "set -m; sleep 300 & echo $! > group; echo $$ > self; touch ready; wait";
const names = ["child", "fled", "stubborn", "group", "self"];

test("a program that is cancelled is ended with the whole tree below it", async () => {
  const place = shell(tree);
  const cancelling = new AbortController();
  const run = runProcess({ ...place, ...limits }, cancelling.signal);
  await untilSeen("the whole tree", () => existsSync(join(place.cwd, "ready")));
  cancelling.abort();
  expect(await run).toMatchObject({ code: null, failure: "was cancelled" });
  expect(names.map((name) => [name, isAlive(pidIn(place.cwd, name))])).toEqual(names.map((name) => [name, false]));
});

test("a program that takes too long is ended with what it has started by then", async () => {
  const place = shell(tree);
  const { code, failure } = await runProcess({ ...place, ...limits, timeoutMs: 300 });
  expect([code, failure]).toEqual([null, expect.stringContaining("took longer than 0.3 s")]);
  // How far it comes by then is for the machine.
  const begun = names.filter((name) => existsSync(join(place.cwd, name)) && pidIn(place.cwd, name) > 0);
  expect(begun.filter((name) => isAlive(pidIn(place.cwd, name)))).toEqual([]);
});

test("a program that ends by itself takes what it left in its session along, and says how many that were", async () => {
  const place = shell("sleep 300 & echo $! > child; sleep 300 & echo $! > other; exit 5");
  const { ended } = startProcess(place);
  expect(await ended).toMatchObject({ code: 5, left: 2 });
  for (const name of ["child", "other"]) expect(isAlive(pidIn(place.cwd, name))).toBe(false);
});

test("a process that left the session and holds the output open does not keep the end from being told", async () => {
  const place = shell("setsid sh -c 'echo $$ > fled; exec sleep 300' & until [ -s fled ]; do :; done; echo done");
  expect(await runProcess({ ...place, ...limits })).toMatchObject({ code: 0, stdout: "done\n" });
  process.kill(pidIn(place.cwd, "fled"), "SIGKILL");
});

test("a program that is ended is over when its end was waited for", async () => {
  const place = shell(tree);
  const running = startProcess(place);
  while (!existsSync(join(place.cwd, "ready"))) await new Promise((resolve) => setImmediate(resolve));
  await running.end();
  expect(names.map((name) => [name, isAlive(pidIn(place.cwd, name))])).toEqual(names.map((name) => [name, false]));
  expect(await running.ended).toMatchObject({ code: null, signal: expect.any(String) });
});
