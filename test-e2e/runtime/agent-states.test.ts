import { fault, type MessagesRequest, type Reply, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { awaited } from "../../scripts/awaited.ts";
import { projectBeside, sentIn, turn } from "./faked-session.ts";

const waited = ["fine", "broken"];
const alone = ["good", "bad", "stopped", "slow", "halted", "late"];

/** A promise and the way to keep it. */
function later() {
  let resolve = () => {};
  const promise = new Promise<void>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}

test("[UI-06] what became of each agent is the same to the person, to TaskOutput and in the notices, and nothing is told twice", async () => {
  const [looked, free] = [later(), later()];
  const never = new Promise<Reply>(() => {});
  const refusal = fault.status(400, "invalid_request_error", "Your credit balance is too low.");
  const parts: Record<string, () => Reply | Promise<Reply>> = {
    fine: () => "The report of fine.",
    broken: () => refusal,
    good: () => looked.promise.then(() => "The report of good."),
    bad: () => looked.promise.then(() => refusal),
    stopped: () => never,
    halted: () => never,
    slow: () => free.promise.then(() => "The report of slow."),
    late: () => free.promise.then(() => refusal),
  };
  /** The ids of those nobody waits for, in the order of the calls, as the caller was told them. */
  const idsIn = ({ messages }: MessagesRequest) =>
    [...JSON.stringify(messages).matchAll(/works in the background\.\\nagentId: (a[0-9a-f]{16})/g)].map(([, id]) => id);
  const { fake, open } = await projectBeside({
    rule: (request) => {
      const task = String(request.messages[0]?.content[0]?.["text"]);
      const part = parts[task];
      if (part) return part();
      if (request.messages.length === 1)
        return [...waited, ...alone].map((name) =>
          toolUse("Agent", { description: name, prompt: name, run_in_background: alone.includes(name) }),
        );
      if (request.messages.length > 3) return "Done.";
      const [good, bad, stopped, slow, halted] = idsIn(request);
      return [
        toolUse("TaskOutput", { task_id: good, block: true }),
        toolUse("TaskOutput", { task_id: bad, block: true }),
        toolUse("TaskStop", { task_id: stopped }),
        toolUse("TaskOutput", { task_id: stopped, block: false }),
        toolUse("TaskOutput", { task_id: slow, block: false }),
        toolUse("TaskStop", { task_id: halted }),
      ];
    },
  });
  const session = open();
  const states = () => Object.fromEntries(session.jobs.all().map((job) => [job.command, job.status()]));
  const told = () =>
    sentIn(fake)
      .filter(({ messages }) => messages[0]?.said[0] === "go")
      .at(-1)?.messages ?? [];
  let called = 0;
  await turn(session, "go", (event) => {
    // The first call that looks at an agent waits for it by the next round of the event loop.
    if (event.kind === "entry" && event.entry.kind === "called" && ++called === waited.length + alone.length + 1)
      setImmediate(looked.resolve);
  });
  const settled = {
    fine: "completed",
    broken: "failed",
    good: "completed",
    bad: "failed",
    stopped: "killed",
    halted: "killed",
  };
  expect(states()).toEqual({ ...settled, slow: "running", late: "running" });
  const [fine, broken] = told()[2]?.said ?? [];
  expect(fine).toContain("The report of fine.");
  expect(broken).toMatch(/^The agent failed: .*credit balance/);
  const outputs = told()[4]?.said ?? [];
  const statusOf = (output: string) => /<status>(\w+)<\/status>/.exec(output)?.[1];
  expect(outputs.map(statusOf)).toEqual(["completed", "failed", undefined, "killed", "running", undefined]);
  expect(outputs[0]).toContain("The report of good.");
  for (const stopped of [outputs[2], outputs[5]]) expect(stopped).toContain("Stopped task");

  free.resolve();
  await awaited("the ends of all agents", Promise.all(session.jobs.all().map((job) => job.settled)));
  expect(states()).toEqual({ ...settled, slow: "completed", late: "failed" });
  await turn(session);
  const notices = told().flatMap(({ said }) => said.filter((words) => words.includes("<task-notification>")));
  expect(notices).toHaveLength(2);
  expect(notices.map(statusOf).toSorted()).toEqual(["completed", "failed"]);
  expect(notices.find((words) => statusOf(words) === "failed")).toMatch(/Agent "late" failed: .*credit balance/);
  expect(notices.find((words) => statusOf(words) === "completed")).toMatch(
    /Agent "slow" completed.*The report of slow/s,
  );
  await turn(session);
  expect(session.queue.waiting()).toEqual([]);
});
