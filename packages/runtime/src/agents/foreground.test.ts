import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SubagentMeta } from "@troupe/protocol";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse, words } from "../../test/entries.ts";
import { done, opened, settled, stage, turn } from "../../test/sessions.ts";

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

test("[UI-03] what a foreground agent did stands in a transcript of its own, with its facts beside it and a link to it", async () => {
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
      onEvent: (event) =>
        void (event.kind === "entry" && event.agent && seen.push(`${event.agent.description}: ${event.entry.kind}`)),
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
    const isFirst = asked.includes("task one") && request.messages.length === 1;
    for await (const event of deps.model(request, signal)) {
      yield event;
      if (isFirst) await second;
    }
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
  await untilSeen("the file began", () => existsSync(join(cwd, "began")));
  abort.abort("user_interrupt");
  expect(await run).toMatchObject({ isOk: false, why: "aborted", reason: "user_interrupt" });
  expect(session.jobs.running()).toEqual([]);
});

test.each([
  ["2026-02", "Look at the map first.\n\ntask one"],
  ["2026-11", "task one"],
] as const)("in %s an agent whose definition has a prompt to begin with is told %j", async (revision, begin) => {
  const { deps, define, requestsOf } = stage(
    { "": [[task("t1", { subagent_type: "scout", run_in_background: false })], done], "task one": [done] },
    { revision },
  );
  define("scout", { initialPrompt: "Look at the map first." });
  await turn(opened(deps), "go");
  expect(requestsOf("task one")[0]?.messages[0]?.blocks).toEqual([JSON.stringify(words(begin))]);
});

test("what stands beside a transcript says what its agent is and how it was started; in 2026-11 its id tells its name", async () => {
  const { deps, define } = stage(
    {
      "": [
        [
          task("t1", { subagent_type: "scout", name: "ann", model: "haiku" }),
          task("t2", { prompt: "task three", run_in_background: false }),
        ],
        done,
        done,
      ],
      "directive: task two": [done],
      "task one": (_, nth) => (nth === 0 ? [task("u1", { prompt: "task two", subagent_type: "fork" })] : done),
      "task three": [done],
    },
    { revision: "2026-11" },
  );
  define("scout", {});
  const session = opened(deps);
  await turn(session, "go");
  await untilSeen("the end of all agents", () => settled(session).then(() => session.jobs.running().length === 0));
  const directory = join(session.transcript.replace(/\.jsonl$/, ""), "subagents");
  const factsOf = ({ id }: { id: string }) =>
    JSON.parse(readFileSync(join(directory, `agent-${id}.meta.json`), "utf8"));
  const [ann, other, fork] = ["t1", "t2", "u1"].map((call) =>
    session.jobs.all().find((job) => factsOf(job).toolUseId === call),
  );
  const common = { description: "look around", finished: true, run: 1 };
  const [isBuiltIn, isFork, launchedWithDefaults] = [true, true, true];
  expect([ann, other, fork].map((job) => job && factsOf(job))).toEqual([
    {
      ...common,
      agentType: "scout",
      toolUseId: "t1",
      task: "task one",
      name: "ann",
      model: "haiku",
      spawnDepth: 0,
      isBuiltIn: false,
      isFork: false,
      launchedWithDefaults: false,
      requestShape: "background",
    },
    {
      ...common,
      agentType: "general-purpose",
      toolUseId: "t2",
      task: "task three",
      told: 1,
      model: "m",
      spawnDepth: 0,
      isBuiltIn,
      isFork: false,
      launchedWithDefaults,
      requestShape: "foreground",
    },
    {
      ...common,
      agentType: "fork",
      toolUseId: "u1",
      task: "task two",
      told: 1,
      listener: ann?.id,
      model: expect.stringMatching(/haiku-/),
      spawnDepth: 1,
      isBuiltIn,
      isFork,
      launchedWithDefaults: false,
      requestShape: "background",
      bounds: [{ isBackground: true }],
    },
  ]);
  expect(ann?.id).toMatch(/^aann-[0-9a-f]{16}$/);
  expect(other?.id).toMatch(/^a[0-9a-f]{16}$/);
});

test("in 2026-02 the id of an agent does not tell its name", async () => {
  const { deps } = stage({ "": [[task("t1", { name: "ann" })], done], "task one": [done] });
  const session = opened(deps);
  await turn(session, "go");
  expect(session.jobs.find("ann")?.id).toMatch(/^a[0-9a-f]{16}$/);
});

test("what hooks of SubagentStart have to say is shown, and what goes wrong in them too", async () => {
  const shown: string[] = [];
  const commands = [`echo '{"systemMessage":"one begins"}'`, "echo out of luck >&2; exit 1"];
  const hooks = { SubagentStart: [{ hooks: commands.map((command) => ({ type: "command", command })) }] };
  const { deps, trust } = stage(
    { "": [[task("t1")], done], "task one": [done] },
    { settings: { hooks }, show: (message) => void shown.push(message) },
  );
  trust();
  const { talk } = await turn(opened(deps), "go");
  expect(shown).toEqual(["one begins", expect.stringMatching(/SubagentStart[\s\S]*out of luck/)]);
  expect(talk[2]).toContain("done");
});
