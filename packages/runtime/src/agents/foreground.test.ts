import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SubagentMeta } from "@troupe/protocol";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { done, opened, stage, turn } from "../../test/sessions.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", ...input });

test("[SYNC-01] [SYNC-02] [SYNC-06] an agent works while its caller waits, and its report is the result of the call", async () => {
  const { deps, requestsOf } = stage({
    "": [[task("t1")], done],
    "task one": [[toolUse("u1", "Glob", { pattern: "*" })], [words("Nothing is there.")]],
  });
  const session = opened(deps);
  const { terminal, talk } = await turn(session, "go");
  expect(terminal).toMatchObject({ isOk: true, text: "done" });
  expect(talk).toHaveLength(4);
  expect(talk[2]).toContain("Nothing is there.");
  expect(talk[2]).toMatch(/agentId: a[0-9a-f]{16}/);
  expect(talk[2]).toMatch(/tool_uses: 1/);
  expect(requestsOf("task one")).toHaveLength(2);
  expect(session.queue.waiting()).toEqual([]);
});

test("[UI-03] [UI-06] what a foreground agent did stands in a transcript of its own, with its facts beside it and a link to it", async () => {
  const { deps } = stage({ "": [[task("t1")], done], "task one": [[words("A report.")]] });
  const session = opened(deps);
  await turn(session, "go");
  const directory = join(session.transcript.replace(/\.jsonl$/, ""), "subagents");
  const [transcript = "", meta = ""] = readdirSync(directory).sort();
  const told = SubagentMeta.parse(JSON.parse(readFileSync(join(directory, meta), "utf8")));
  expect(told).toMatchObject({ agentType: "general-purpose", toolUseId: "t1", spawnDepth: 0, finished: true });
  expect(readFileSync(join(directory, transcript), "utf8")).toContain("A report.");
  const id = transcript.slice("agent-".length, -".jsonl".length);
  const job = session.jobs.find(id);
  expect(job?.status()).toBe("completed");
  expect(readFileSync(job?.outputFile ?? "", "utf8")).toContain("A report.");
});

test("[SYNC-05] [SYNC-04] whoever watches sees what a foreground agent does while it does it", async () => {
  const seen: string[] = [];
  const { deps } = stage(
    { "": [[task("t1")], done], "task one": [[toolUse("u1", "Glob", { pattern: "*" })], [words("A report.")]] },
    {
      onAgentEvent: ({ description }, event) =>
        void (event.kind === "entry" && seen.push(`${description}: ${event.entry.kind}`)),
    },
  );
  const session = opened(deps);
  await session.submit("go");
  for await (const event of session.run())
    if (event.kind === "entry" && event.entry.kind === "result") seen.push("the call has its result");
  expect(seen.filter((one) => /answered|result/.test(one))).toEqual([
    "look around: answered",
    "look around: result",
    "look around: answered",
    "the call has its result",
  ]);
});

test("several agents of one answer work at the same time, and their reports come in the order of the calls", async () => {
  let release = () => {};
  const second = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { deps } = stage({
    "": [[task("t1", { prompt: "task one" }), task("t2", { prompt: "task two" })], done],
    "task one": [[words("first report")]],
    "task two": [[words("second report")]],
  });
  const model: typeof deps.model = async function* (request, signal) {
    const asked = JSON.stringify(request.messages);
    if (asked.includes("task two") && request.messages.length === 1) release();
    // The first would wait for ever if the second did not begin beside it.
    if (asked.includes("task one") && request.messages.length === 1) await second;
    yield* deps.model(request, signal);
  };
  const { talk } = await turn(opened({ ...deps, model }), "go");
  expect(talk[2]?.indexOf("first report")).toBeGreaterThan(-1);
  expect(talk[2]?.indexOf("second report")).toBeGreaterThan(talk[2]?.indexOf("first report") ?? 0);
});

test("[FAIL-02] an agent that fails gives what it had said, or its failure where it had said nothing", async () => {
  const failure = { kind: "invalid", message: "no credit" } as const;
  const { deps } = stage({
    "": [[task("t1", { prompt: "task one" }), task("t2", { prompt: "task two" })], done],
    "task one": [[words("Half of it."), toolUse("u1", "Glob", { pattern: "*" })], failure],
    "task two": [failure],
  });
  const { talk } = await turn(opened(deps), "go");
  expect(talk[2]).toMatch(/Half of it\..*cut off: no credit/);
  expect(talk[2]).toContain("The agent failed: no credit.");
});

test("[FAIL-01] an interrupt of the caller ends the agent it waits for, with what that one runs", async () => {
  const { deps, cwd } = stage(
    {
      "": [[task("t1")], done],
      "task one": [[toolUse("u1", "Bash", { command: "touch began; sleep 60" })]],
    },
    { mode: "bypassPermissions", isBypassAvailable: true },
  );
  const session = opened(deps);
  await session.submit("go");
  const abort = new AbortController();
  const run = (async () => {
    const events = session.run(abort.signal);
    for (let step = await events.next(); ; step = await events.next()) if (step.done) return step.value;
  })();
  while (!existsSync(join(cwd, "began"))) await new Promise(setImmediate);
  abort.abort("user_interrupt");
  expect(await run).toMatchObject({ isOk: false, why: "aborted", reason: "user_interrupt" });
  expect(session.jobs.running()).toEqual([]);
});
