import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { openOwn } from "./own.ts";

const PATH = process.env["PATH"] ?? "";

function opened(directory = scratch(), sessionId = "s1") {
  const home = scratch();
  const own = openOwn({
    directory,
    sessionId,
    environment: { HOME: home, PATH },
    home,
    now: () => new Date(1_770_000_000_000),
    newId: () => "0a1b2c3d-1111",
  });
  onTestFinished(own.close);
  const run = async (command: string) =>
    execFileSync("bash", ["-c", `${await own.prelude()}${command}`], { encoding: "utf8", stdio: "pipe" });
  const { CLAUDE_ENV_FILE: startFile = "" } = own.ofStart;
  return { directory, own, run, startFile };
}

test("what somebody makes of a snapshot, or of what hooks have set, is undone before the next command", async () => {
  const { directory, own, run, startFile } = opened();
  writeFileSync(startFile, "export BY_HOOK=yes\n");
  await own.started(() => {});
  const snapshot = join(directory, "shell-snapshots/snapshot-bash-1770000000000-0a1b2c3d.sh");
  expect(await run("echo $BY_HOOK")).toBe("yes\n");
  writeFileSync(snapshot, "ls() { echo stolen; }\n");
  writeFileSync(startFile, "echo stolen\n");
  expect(await run("echo $BY_HOOK; ls /dev/null")).toBe("yes\n/dev/null\n");
  for (const file of [snapshot, startFile]) rmSync(file);
  expect(await run("echo $BY_HOOK")).toBe("yes\n");
  await own.close();
  expect([existsSync(snapshot), existsSync(startFile)]).toEqual([false, false]);
});

test("what a shell cannot read of what hooks have set is shown and left out, and commands run", async () => {
  const { own, run, startFile } = opened();
  const shown: string[] = [];
  writeFileSync(startFile, "export LEFT=out\nif then\n");
  await own.started((text) => void shown.push(text));
  expect(shown).toEqual([expect.stringMatching(/CLAUDE_ENV_FILE is left out: .*syntax error/)]);
  expect(await run("echo on $LEFT")).toBe("on\n");
});

test("what hooks have set for an earlier process of a session holds no more", async () => {
  const { directory, startFile } = opened();
  writeFileSync(startFile, "export OLD=yes\n");
  const later = opened(directory);
  await later.own.started(() => {});
  expect(await later.run("echo on $OLD")).toBe("on\n");
});

test("what killed sessions left goes after a week, and logs do", async () => {
  const directory = scratch();
  const [old, young] = [1_770_000_000 - 8 * 86_400, 1_770_000_000 - 6 * 86_400];
  for (const place of ["debug", "shell-snapshots", "session-env"])
    for (const [name, at] of [
      ["old", old],
      ["young", young],
    ] as const) {
      mkdirSync(join(directory, place, name), { recursive: true });
      utimesSync(join(directory, place, name), at, at);
    }
  opened(directory);
  for (const place of ["debug", "shell-snapshots", "session-env"])
    expect(readdirSync(join(directory, place)).filter((name) => /old|young/.test(name))).toEqual(["young"]);
});

test("a log has a line an event, and none of them breaks it", async () => {
  const { directory, own } = opened();
  const passed: string[] = [];
  const watch = own.watching(
    (event: string) => void passed.push(event),
    (event) => event.slice(1) || undefined,
  );
  for (const event of ["aone\nforged", "b", `c${"x".repeat(5_000)}`]) watch(event);
  const lines = readFileSync(join(directory, "debug/s1.txt"), "utf8").split("\n");
  expect(lines.map((line) => line.slice(0, 40))).toEqual([
    "2026-02-02T02:40:00.000Z one forged",
    `2026-02-02T02:40:00.000Z ${"x".repeat(15)}`,
    "",
  ]);
  expect(lines[1]?.length).toBeLessThan(2_100);
  expect(passed).toHaveLength(3);
});
