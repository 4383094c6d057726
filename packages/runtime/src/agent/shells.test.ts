import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseTaskNotification } from "@troupe/protocol";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { processesWith, workbench } from "../../test/workbench.ts";

const background = async (command: string, over: Parameters<typeof workbench>[0] = {}) => {
  const bench = workbench(over);
  const { text } = await bench.call("Bash", { command, description: "the work", run_in_background: true });
  const id = /as (b\w+)\./.exec(text)?.[1] ?? "";
  const notification = () => parseTaskNotification(String(bench.told.at(-1)?.content[0]?.["text"])).notification;
  return { ...bench, id, notification };
};

/** Lets a command that waits for it go on. */
const release = ({ cwd }: { readonly cwd: string }) => writeFileSync(join(cwd, "go"), "");
const waiting = "until [ -e go ]; do sleep 0.02; done";

test("[NOTIF-03] the end of a background shell is told once, to its agent, with its exit code and where its output is", async () => {
  const bench = await background(`${waiting}; echo said; exit 4`);
  expect(bench.told).toEqual([]);
  const told = bench.nextTold();
  release(bench);
  await told;
  await bench.shells.find(bench.id)?.ended;
  await bench.shells.close();
  await new Promise(setImmediate);
  expect(bench.told).toHaveLength(1);
  expect(bench.told[0]).toMatchObject({
    mode: "task-notification",
    agent: "a1",
    origin: { kind: "task-notification", task: bench.id },
  });
  const notification = bench.notification();
  expect(notification).toMatchObject({ taskId: bench.id, toolUseId: "toolu_1", status: "failed" });
  expect(notification?.summary).toBe('Background command "the work" failed (exit code 4)');
  expect(readFileSync(String(notification?.outputFile), "utf8")).toBe("said\n");
});

test("a command that is waited for can be sent away: its call returns at once, an interrupt does not end it, and its end is told once", async () => {
  const bench = workbench();
  const turn = new AbortController();
  const command = `echo early; echo > began; ${waiting}; echo late`;
  const over = bench.call("Bash", { command, description: "the work" }, turn.signal);
  await untilSeen("the command", () => existsSync(join(bench.cwd, "began")));
  const [task] = bench.shells.toBackground();
  const { text, isError } = await over;
  expect([isError, text]).toEqual([false, expect.stringContaining(`it goes on in the background as ${task?.id}.`)]);
  expect(bench.shells.toBackground()).toEqual([]);
  turn.abort();
  expect(task?.status()).toBe("running");
  const told = bench.nextTold();
  release(bench);
  await told;
  expect(bench.told).toHaveLength(1);
  const { notification } = parseTaskNotification(String(bench.told[0]?.content[0]?.["text"]));
  expect(notification).toMatchObject({ taskId: task?.id, toolUseId: "toolu_1", status: "completed" });
  expect(readFileSync(String(notification?.outputFile), "utf8")).toBe("early\nlate\n");
});

test("a command that has ended or is being killed is sent nowhere", async () => {
  const bench = workbench();
  const turn = new AbortController();
  await bench.call("Bash", { command: "true" });
  const over = bench.call("Bash", { command: `echo > began; ${waiting}` }, turn.signal);
  await untilSeen("the command", () => existsSync(join(bench.cwd, "began")));
  turn.abort();
  expect(bench.shells.toBackground()).toEqual([]);
  expect(await over).toMatchObject({ isError: true });
});

test("[QUEUE-04] a shell that seems to ask something and says no more is told while it runs, and its end afterwards", async () => {
  const bench = await background(`printf 'Continue? '; ${waiting}`, { stallMs: 50 });
  await bench.nextTold();
  expect(bench.notification()).not.toHaveProperty("status");
  expect(bench.notification()?.summary).toContain("wait for an answer");
  const told = bench.nextTold();
  release(bench);
  await told;
  expect(bench.notification()).toMatchObject({ status: "completed" });
});

test("[TASKCTL-01] [TASKCTL-02] a look at a task that runs says so at once, with what it said", async () => {
  const bench = await background(`echo early; echo > said; ${waiting}`);
  const look = async () => (await bench.call("TaskOutput", { task_id: bench.id, block: false })).text;
  const text = await untilSeen("what it said early", () => look().then((text) => text.includes("early") && text));
  expect(text).toContain("<status>running</status>");
  expect(text).toContain("<retrieval_status>not_ready</retrieval_status>");
  expect(await bench.call("TaskOutput", { task_id: "b0" })).toMatchObject({ isError: true });
});

test("[TASKCTL-03] [NOTIF-08] a look that waits gives the end, or what there is after a time, and the end is not told again", async () => {
  const bench = await background(`${waiting}; echo late`);
  const early = await bench.call("TaskOutput", { task_id: bench.id, timeout: 20 });
  expect(early.text).toContain("<retrieval_status>timeout</retrieval_status>");
  const looking = bench.call("TaskOutput", { task_id: bench.id });
  release(bench);
  const { text } = await looking;
  expect(text).toContain("<status>completed</status>\n<exit_code>0</exit_code>");
  expect(text).toContain("<output>\nlate\n</output>");
  await new Promise(setImmediate);
  expect(bench.told).toEqual([]);
});

test("[TASKCTL-05] [TASKCTL-06] a shell is stopped by either name of its id, with all it started, and only while it runs", async () => {
  const mark = `mark-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const environment = { PATH: String(process.env["PATH"]), MARK: mark };
  const bench = await background("sleep 100 & setsid --wait sleep 100", { environment });
  const { text, isError } = await bench.call("TaskStop", { shell_id: bench.id });
  expect(isError).toBe(false);
  expect(JSON.parse(text)).toMatchObject({ task_id: bench.id, task_type: "local_bash", command: expect.any(String) });
  expect(processesWith(mark)).toEqual([]);
  expect(bench.shells.find(bench.id)?.status()).toBe("killed");
  await new Promise(setImmediate);
  expect(bench.told).toEqual([]);
  const again = await bench.call("TaskStop", { task_id: bench.id });
  expect(again).toMatchObject({ isError: true, text: expect.stringContaining("it is killed") });
  expect(await bench.call("TaskStop", { task_id: "b0" })).toMatchObject({ isError: true });
  expect(await bench.call("TaskStop", {})).toMatchObject({ isError: true });
});

test("who is stopped by somebody else is told as killed", async () => {
  const bench = await background("sleep 100");
  const told = bench.nextTold();
  await bench.shells.find(bench.id)?.stop();
  await told;
  expect(bench.notification()).toMatchObject({ status: "killed" });
});

test("closing ends every shell with all it started, and tells nobody", async () => {
  const mark = `mark-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const environment = { PATH: String(process.env["PATH"]), MARK: mark };
  const bench = await background("sleep 100 | sleep 100", { environment });
  await bench.call("Bash", { command: "trap '' TERM; while :; do sleep 1; done", run_in_background: true });
  expect(bench.shells.running()).toHaveLength(2);
  await bench.shells.close();
  expect(processesWith(mark)).toEqual([]);
  expect(bench.shells.running()).toEqual([]);
  await new Promise(setImmediate);
  expect(bench.told).toEqual([]);
});

test("an interruption of the agent leaves its background shells running", async () => {
  const bench = workbench();
  const controller = new AbortController();
  await bench.call("Bash", { command: "sleep 100", run_in_background: true }, controller.signal);
  controller.abort();
  await new Promise(setImmediate);
  expect(bench.shells.running()).toHaveLength(1);
});
