import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { scratch } from "../../test/scratch.ts";
import { processesWith, workbench } from "../../test/workbench.ts";
import { createOutputFile } from "../agent/output-file.ts";

/** A word that only the processes of one test hold. */
const marked = () => {
  const mark = `mark-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const bench = workbench({ environment: { PATH: String(process.env["PATH"]), MARK: mark } });
  return { ...bench, mark, bash: (command: string, more: object = {}) => bench.call("Bash", { command, ...more }) };
};

/** Interrupts a command that says when it is ready, by making a file, or else while it begins. */
const interrupted = async (command: string) => {
  const bench = marked();
  const controller = new AbortController();
  const ready = command.includes("> ready") ? "" : "echo > ready;";
  const running = bench.call("Bash", { command: `${command} & ${ready} wait` }, controller.signal);
  await untilSeen("the file ready", () => readdirSync(bench.cwd).includes("ready"));
  controller.abort();
  return { ...bench, ...(await running) };
};

test("both outputs come in the order they were written, and the exit code is told", async () => {
  const { call } = workbench();
  const outcome = await call("Bash", { command: "echo one; echo two >&2; echo three; exit 3" });
  expect(outcome).toMatchObject({ isError: true, text: "one\ntwo\nthree\nExit code 3" });
  expect(await call("Bash", { command: "true" })).toMatchObject({ isError: false, text: "(no output)" });
  expect((await call("Bash", { command: "kill -SEGV $$" })).text).toContain("SIGSEGV");
});

test("a command gets the environment it is given and no other, and is the command itself to its shell", async () => {
  const { call, cwd } = workbench();
  expect((await call("Bash", { command: 'echo "$MARK $(printenv USER || echo none) $(pwd -P)"' })).text).toBe(
    `set none ${cwd}`,
  );
  expect((await call("Bash", { command: "echo one\nno-such-command" })).text).toContain("line 2: no-such-command");
});

test("a cd holds for one call", async () => {
  const { call, cwd } = workbench();
  expect((await call("Bash", { command: "cd / && pwd" })).text).toBe("/");
  expect((await call("Bash", { command: "pwd -P" })).text).toBe(cwd);
});

test("[TMUX-04] a command has no terminal and nothing to read", async () => {
  const { call } = workbench();
  expect((await call("Bash", { command: "cat; read answer || echo nobody" })).text).toBe("nobody");
  expect((await call("Bash", { command: "(: < /dev/tty) 2> /dev/null || echo none" })).text).toBe("none");
});

test("a long output is shown at its two ends and lies in a file, and a short one leaves no file", async () => {
  const { call, deps } = workbench();
  await call("Bash", { command: "echo short" });
  expect(existsSync(deps.outputs)).toBe(false);
  const { text } = await call("Bash", { command: "echo first; seq 100000; echo last" });
  expect(text.length).toBeLessThan(31_000);
  expect(text).toMatch(/^first\n1\n/);
  expect(text).toMatch(/100000\nlast$/);
  const path = /all is in (\S+):/.exec(text)?.[1] ?? "";
  expect(readFileSync(path, "utf8").split("\n")).toHaveLength(100_003);
});

test("a character is never cut, and what is beyond the limit of the file is counted", () => {
  const path = join(scratch(), "out");
  const output = createOutputFile(path, 39_999);
  output.write(Buffer.from("€".repeat(20_000)));
  const text = output.excerpt();
  output.close();
  expect(text).not.toContain("\uFFFD");
  expect(text).toContain("the last 20001 of 60000 bytes");
});

test("a file that stands where the output would go is neither written nor removed", () => {
  const path = join(scratch(), "out");
  writeFileSync(path, "another's");
  const output = createOutputFile(path);
  expect([output.isShown(), output.excerpt()]).toEqual([true, ""]);
  output.write(Buffer.from("said"));
  expect(output.excerpt()).toMatch(/lacks the last 4 of 4 bytes.*EEXIST.*\nsaid$/);
  output.close();
  output.remove();
  expect(readFileSync(path, "utf8")).toBe("another's");
});

test("a flood of output fills no disk and no memory", async () => {
  const { call, deps } = workbench();
  const { text } = await call("Bash", { command: "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo end >&2" });
  expect(text).toContain("thrown away");
  const sizes = readdirSync(deps.outputs).map((name) => readFileSync(join(deps.outputs, name)).length);
  expect(sizes).toEqual([64 * 1024 * 1024]);
});

test("what takes too long is ended with all it started, and what it said is shown", async () => {
  const { bash, mark, cwd } = marked();
  const outcome = await bash("echo begun; touch begun; (sleep 100 & sleep 100); sleep 100", { timeout: 300 });
  expect(outcome).toMatchObject({ isError: true });
  // How far it comes by then is for the machine.
  expect(outcome.text).toMatch(readdirSync(cwd).includes("begun") ? /^begun\nTimed out after 300 ms/ : /Timed out/);
  expect(processesWith(mark)).toEqual([]);
});

test.each([
  ["that waits", "sleep 100"],
  ["that ignores the polite signal", "bash -c 'trap \"\" TERM; echo > ready; while :; do sleep 1; done'"],
  ["of grandchildren in a pipe", "(sleep 100 | (sleep 100; sleep 100))"],
  ["in a group of its own", "timeout 100 sleep 100"],
  ["in a session of its own", "setsid --fork --wait sh -c 'echo > ready; sleep 100'"],
  ["that is stopped", "(kill -STOP $BASHPID; sleep 100)"],
])("an interruption ends a process %s", async (_, command) => {
  const { isError, text, mark } = await interrupted(command);
  expect({ isError, text }).toEqual({
    isError: true,
    text: expect.stringContaining("Interrupted; the command and every process"),
  });
  expect(processesWith(mark)).toEqual([]);
});

test("what a command said before it was interrupted is shown", async () => {
  const { text } = await interrupted("echo begun; echo > ready; sleep 100");
  expect(text).toMatch(/^begun\nInterrupted; /);
});

test("an interruption lets a process put its things in order", async () => {
  const { cwd } = await interrupted(
    "bash -c 'trap \"echo > tidy; exit\" TERM; echo > ready; while :; do sleep 0.01; done'",
  );
  expect(readdirSync(cwd)).toContain("tidy");
});

test("a command that is interrupted before it begins does not begin", async () => {
  const { call, cwd } = workbench();
  expect(await call("Bash", { command: "echo > made" }, AbortSignal.abort())).toMatchObject({ isError: true });
  expect(readdirSync(cwd)).toEqual([]);
});

test("what a command leaves behind is ended and counted, and nobody waits for it", async () => {
  const { bash, mark } = marked();
  const { isError, text } = await bash("sleep 100 & timeout 100 sleep 100 & echo done");
  expect({ isError, text }).toEqual({
    isError: false,
    text: expect.stringMatching(/^done\nProcesses that it left running were killed \([23]\)/),
  });
  expect(processesWith(mark)).toEqual([]);
});

test("who left the session of a command holds up nobody", async () => {
  const { bash, mark } = marked();
  const flight = "(setsid sh -c 'echo > fled; sleep 100' &); until [ -e fled ]; do sleep 0.01; done; echo done";
  expect((await bash(flight)).text).toBe("done");
  for (const id of processesWith(mark)) process.kill(id, "SIGKILL");
});

test("without bash the shell of the system does it, and without a directory it is said", async () => {
  const bin = scratch();
  symlinkSync("/bin/ls", join(bin, "ls"));
  const bare = workbench({ environment: { PATH: bin } });
  writeFileSync(join(bare.cwd, "here"), "");
  expect((await bare.call("Bash", { command: "ls; echo x$BASH_VERSION" })).text).toMatch(/here\n(.*\n)*x$/);
  const gone = workbench({ cwd: join(bin, "gone"), outputs: join(bin, "outputs") });
  mkdirSync(join(bin, "outputs"));
  expect(await gone.call("Bash", { command: "true" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("does not exist any more"),
  });
});
