import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../../../scripts/awaited.ts";
import { endTree } from "./end-tree.ts";
import { type HeldStart, startHeld } from "./held.ts";
import { startOf } from "./identity.ts";

function place(script: string, ...args: readonly string[]) {
  const cwd = mkdtempSync(join(realpathSync(tmpdir()), "held-"));
  const mark = `MARK=${cwd}`;
  onTestFinished(async () => {
    await endTree({ mark, graceMs: 0 });
    rmSync(cwd, { recursive: true });
  });
  const log = join(cwd, "log");
  const environment = { PATH: process.env["PATH"] ?? "", MARK: cwd };
  const start: HeldStart = {
    program: "/bin/sh",
    args: ["-c", script, ...args],
    cwd,
    environment,
    log,
    logBytes: 1 << 16,
  };
  return { cwd, log, mark, start };
}
const textAt = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "");

test("a held program begins when it is let go: as that very process, with its arguments, variables and mask as they are, and nothing to read", async () => {
  const script = 'echo "$$"; printf "%s|" "$@"; echo; cat; umask; env | sed "s/=.*//" | sort';
  const hostile = ["a b", "$(touch ran)", "`touch ran`", "; touch ran", "-x", "'\"*", ""];
  const { cwd, log, start } = place(script, "sh", ...hostile);
  const before = process.umask(0o027);
  const held = startHeld(start);
  process.umask(before);
  expect(existsSync(log)).toBe(false);
  held.letGo();
  expect(await awaited("its end", held.ended)).toEqual({ code: 0, signal: null });
  const whole = await untilSeen(
    "all that it wrote",
    () => /(?:.*\n)*PWD\n/.exec(textAt(`${log}.1`) || textAt(log))?.[0],
  );
  const [pid, given, mask, ...variables] = whole.trimEnd().split("\n");
  expect([pid, given, mask]).toEqual([`${held.pid}`, `${hostile.join("|")}|`, "0027"]);
  expect(variables.filter((name) => name !== "SHLVL" && name !== "OLDPWD" && name !== "_")).toEqual([
    "MARK",
    "PATH",
    "PWD",
  ]);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

test("nothing of it ran where the process that held it ends first", async () => {
  const { cwd, start } = place("touch ran; sleep 300");
  const code = `import { startHeld } from "@troupe/process"; console.log(startHeld(${JSON.stringify(start)}).pid); setInterval(() => {}, 1000);`;
  const directory = join(import.meta.dirname, "..");
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: directory,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [pid] = await once(holder.stdout.setEncoding("utf8"), "data");
  expect(await startOf(Number(pid))).toBeDefined();
  holder.kill("SIGKILL");
  await untilSeen("its end", async () => (await startOf(Number(pid))) === undefined);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

test("a held program that is dropped ends without having begun", async () => {
  const { cwd, start } = place("touch ran");
  const held = startHeld(start);
  held.drop();
  expect(await awaited("its end", held.ended)).toEqual({ code: 0, signal: null });
  expect(readdirSync(cwd)).toEqual([]);
});

test("of a flood the end is kept, in at most twice the room, for the owner alone", async () => {
  const { log, start } = place("seq 1 200000; echo last; exit 7");
  const held = startHeld(start);
  held.letGo();
  expect((await awaited("its end", held.ended)).code).toBe(7);
  const kept = await untilSeen("the last word", () => {
    const text = textAt(`${log}.1`) + textAt(log);
    return text.endsWith("200000\nlast\n") ? text : undefined;
  });
  expect(kept.length).toBeLessThanOrEqual(2 * start.logBytes);
  const files = [`${log}.1`, log].filter(existsSync);
  expect(files.map((path) => statSync(path).mode & 0o777)).toEqual(files.map(() => 0o600));
});

test("a program that cannot be started says so in its log; one in a place that is missing has a fault", async () => {
  const { cwd, log, start } = place("");
  const held = startHeld({ ...start, program: join(cwd, "missing") });
  held.letGo();
  expect((await awaited("its end", held.ended)).code).toBe(127);
  await untilSeen("the reason", () => /missing.*not found|No such file/.test(textAt(`${log}.1`) + textAt(log)));
  const nowhere = startHeld({ ...start, cwd: join(cwd, "missing") });
  expect(nowhere.pid).toBeUndefined();
  expect(await awaited("its end", nowhere.ended)).toMatchObject({ fault: expect.stringContaining("ENOENT") });
});

test("by its mark a tree is ended whose leader is gone, with what left its session, and nothing else", async () => {
  const { cwd, mark, start } = place(
    "setsid sh -c '(trap \"\" TERM; echo $$ > fled; sleep 300) &' ; sleep 300 & echo $! > child; exit 0",
  );
  const held = startHeld(start);
  held.letGo();
  await awaited("its end", held.ended);
  const pids = await untilSeen("what it left", () => {
    const found = ["fled", "child"].map((name) => Number(textAt(join(cwd, name))));
    return found.every(Boolean) && found;
  });
  const child = spawn("sleep", ["300"], { env: { ...process.env, OTHER: mark }, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await endTree({ mark, graceMs: 100 })).toMatchObject({ left: 0 });
  for (const pid of pids) expect(await startOf(pid)).toBeUndefined();
  expect(await startOf(child.pid ?? 0)).toBeDefined();
});
