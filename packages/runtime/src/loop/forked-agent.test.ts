import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoggedRequest, type MessagesRequest, type Rule, text, toolUse } from "@troupe/fake-anthropic";
import { revisions } from "@troupe/protocol";
import { aborted } from "@troupe/store";
import { expect, test } from "vitest";
import { faked } from "../../test/faked.ts";
import { ok, tool } from "../../test/rehearsal.ts";
import { opened, settled, turn } from "../../test/sessions.ts";
import { textBlocks } from "../queue.ts";
import { cacheSafeParamsOf } from "./forked-agent.ts";
import { runForkedAgent } from "./run.ts";

const sent = ({ json }: LoggedRequest) => json as MessagesRequest;
const without = (messages: MessagesRequest["messages"]) =>
  messages.map(({ role, content }) => ({ role, content: content.map(({ cache_control: _, ...block }) => block) }));
const isAside = (request: MessagesRequest) => JSON.stringify(request.messages).includes("by the way");

/** A session that has had a turn, and a side conversation that looks twice. */
async function aside(over: Parameters<typeof faked>[1] = {}) {
  const rule: Rule = (request) => {
    if (!isAside(request))
      return request.messages.length === 1 ? toolUse("Glob", { pattern: "*" }) : "The attic is empty.";
    const last = request.messages.at(-1)?.content ?? [];
    if (last.some(({ text: said }) => String(said).includes("by the way")))
      return [toolUse("Look", { at: 1 }), toolUse("Look", { at: 2 })];
    return "It is dark.";
  };
  const stage = await faked({ rule }, { role: "s".repeat(20_000), ...over });
  const session = opened(stage.deps);
  await turn(session, "go");
  const cacheSafeParams = cacheSafeParamsOf(session.journal.state()) ?? expect.unreachable();
  return { ...stage, session, cacheSafeParams };
}

test.each(revisions)(
  "[RFA-01] in %s a side conversation has the bytes that are safe for the cache, its own words and its own judge of calls; it runs the loop and gives what it came to",
  async (revision) => {
    const { session, deps, fake, cacheSafeParams } = await aside({ revision });
    const looked: unknown[] = [];
    const look = tool("Look", (input) => {
      looked.push(input);
      return ok("nothing to see");
    });
    const judged: unknown[] = [];
    const result = await runForkedAgent({
      cacheSafeParams,
      promptMessages: textBlocks("by the way, is it dark?"),
      model: deps.model,
      tools: [look],
      canUseTool: async ({ input }) => {
        judged.push(input);
        return (input as { at: number }).at === 1 ? { runs: true, input } : { runs: false, message: "once is enough" };
      },
    });
    const parents = sent(fake.requests[1] ?? expect.unreachable());
    const [first, second] = fake.requests.filter((request) => isAside(sent(request)));
    const [asked, again] = [first, second].map((request) => sent(request ?? expect.unreachable()));
    expect({ model: asked?.model, tools: asked?.tools }).toEqual({ model: parents.model, tools: parents.tools });
    expect(JSON.stringify(asked?.system)).toBe(JSON.stringify(parents.system));
    expect(without(asked?.messages ?? [])).toEqual([
      ...without(parents.messages),
      { role: "assistant", content: [text("The attic is empty.")] },
      { role: "user", content: [text("by the way, is it dark?")] },
    ]);
    expect(first?.charge?.read).toBeGreaterThan(4_000);
    expect([judged, looked]).toEqual([[{ at: 1 }, { at: 2 }], [{ at: 1 }]]);
    expect(JSON.stringify(again?.messages.at(-1))).toMatch(/nothing to see.*once is enough/);
    expect(result).toMatchObject({ terminal: { isOk: true, text: "It is dark." }, failure: undefined });
    expect(result.answers).toHaveLength(2);
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(result.usage.output).toBeGreaterThan(0);
    expect(session.jobs.all()).toEqual([]);
  },
);

test.each(revisions)(
  "[RFA-02] in %s no model hears of a side conversation: no tool starts one, and it leaves nothing in a conversation, a transcript, a queue or a list of jobs",
  async (revision) => {
    const events: string[] = [];
    const { session, deps, fake, cacheSafeParams } = await aside({
      revision,
      onEvent: (event) => void events.push(event.kind),
    });
    const files = () => readdirSync(deps.machine.root, { recursive: true }).map(String).toSorted();
    const before = [readFileSync(session.transcript, "utf8"), files(), session.journal.state(), events.length];
    const { terminal } = await runForkedAgent({
      cacheSafeParams,
      promptMessages: textBlocks("by the way, is it dark?"),
      model: deps.model,
    });
    expect(terminal).toMatchObject({ isOk: true, text: "It is dark." });
    expect([readFileSync(session.transcript, "utf8"), files(), session.journal.state(), events.length]).toEqual(before);
    expect([session.queue.waiting(), session.jobs.all()]).toEqual([[], []]);
    await turn(session, "and now?");
    const last = sent(fake.requests.at(-1) ?? expect.unreachable());
    expect(JSON.stringify(last)).not.toMatch(/by the way|It is dark/);
    expect(without(last.messages).filter(({ role }) => role === "user")).toHaveLength(3);
    for (const { name, ...about } of last.tools)
      expect(`${name} ${JSON.stringify(about)}`).not.toMatch(/forked ?agent/i);
  },
);

test("without a judge no call of a side conversation runs, and a failure that stays is its end", async () => {
  const { deps, cacheSafeParams } = await aside();
  const looked: unknown[] = [];
  const look = tool("Look", (input) => {
    looked.push(input);
    return ok("seen");
  });
  const asked = { cacheSafeParams, promptMessages: textBlocks("by the way, is it dark?"), tools: [look] };
  expect((await runForkedAgent({ ...asked, model: deps.model })).terminal).toMatchObject({ text: "It is dark." });
  expect(looked).toEqual([]);
  const failure = { kind: "invalid", message: "no credit" } as const;
  const failing: typeof deps.model = async function* () {
    yield { kind: "failed", failure };
  };
  const { terminal, answers, failure: why } = await runForkedAgent({ ...asked, model: failing });
  expect([terminal?.isOk, answers, why]).toEqual([false, [], failure]);
});

test("the side conversation of one that waits for its calls leaves it before the answer that makes them", async () => {
  const { deps, session } = await aside();
  const { journal } = session;
  const state = {
    ...journal.state(),
    calls: [{ id: "t9", name: "Look", input: {}, hasStarted: true, isReplayable: false }],
  };
  const { messages } = cacheSafeParamsOf(state) ?? expect.unreachable();
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(cacheSafeParamsOf({ ...state, prefix: undefined })).toBeUndefined();
  void deps;
});

test("[ROUTE-26] agents and forks come by a call and its result; a typed command and a side conversation by neither", async () => {
  const rule: Rule = (request) => {
    const told = JSON.stringify(request.messages);
    if (told.includes("Your directive") || told.includes("Audit") || told.includes("by the way")) return "A report.";
    const calls = [
      toolUse("Agent", { description: "named", prompt: "look", subagent_type: "Explore" }),
      toolUse("Agent", { description: "forked", prompt: "split" }),
    ];
    return told.includes("go") && request.messages.length === 1 ? calls : "Done.";
  };
  const { deps, fake, cwd, trust } = await faked({ rule }, { gates: { isForkEnabled: true, isInteractive: true } });
  const skill = join(cwd, ".claude/skills/audit");
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), "---\ndescription: audits\ncontext: fork\n---\nAudit it.\n");
  trust();
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  const blocksOf = () =>
    without(
      sent(
        fake.requests.findLast(
          (request) =>
            sent(request).messages[0]?.content[0]?.["text"] === "go" &&
            !JSON.stringify(sent(request)).includes("Your directive"),
        ) ?? expect.unreachable(),
      ).messages,
    ).flatMap(({ content }) => content);
  const counts = () => ["tool_use", "tool_result"].map((kind) => blocksOf().filter(({ type }) => type === kind).length);
  expect(counts()).toEqual([2, 2]);
  expect(session.jobs.all()).toHaveLength(2);
  expect(await session.submit("/audit")).toContain("A report.");
  expect(session.jobs.all()).toHaveLength(3);
  const cacheSafeParams = cacheSafeParamsOf(session.journal.state()) ?? expect.unreachable();
  await runForkedAgent({ cacheSafeParams, promptMessages: textBlocks("by the way?"), model: deps.model });
  await turn(session, "and now?");
  expect([counts(), session.jobs.all().length]).toEqual([[2, 2], 3]);
});

test("an agent with a memory writes down what to remember beside its work, where the session wants that, and may touch nothing else", async () => {
  for (const remembersAtEnd of [false, true]) {
    const places = { memory: "", other: "" };
    const rule: Rule = (request) => {
      const told = JSON.stringify(request.messages);
      const { length } = request.messages;
      if (told.includes("Your work is done"))
        return told.includes("Here only texts below")
          ? "That is all."
          : [
              toolUse("Write", { file_path: places.memory, content: "The attic is dark." }),
              toolUse("Write", { file_path: places.other, content: "x" }),
              toolUse("Bash", { command: "touch hit" }),
            ];
      if (told.includes("keep it")) return "I looked.";
      return length === 1
        ? toolUse("Agent", {
            description: "keep",
            prompt: "keep it",
            subagent_type: "keeper",
            run_in_background: false,
          })
        : "Done.";
    };
    const { deps, cwd, define, trust, fake } = await faked(
      { rule },
      { gates: { remembersAtEnd }, mode: "bypassPermissions", isBypassAvailable: true },
    );
    places.memory = join(cwd, ".claude/agent-memory/keeper/MEMORY.md");
    places.other = join(cwd, "notes.md");
    define("keeper", { memory: "project" });
    trust();
    const session = opened(deps);
    const { talk } = await turn(session, "go");
    await settled(session);
    expect(talk.join()).toContain("I looked.");
    expect(talk.join()).not.toMatch(/Your work is done|That is all/);
    expect(readdirSync(cwd).toSorted()).toEqual([".claude"]);
    const kept = readdirSync(join(cwd, ".claude")).includes("agent-memory");
    expect(kept && readFileSync(places.memory, "utf8")).toBe(remembersAtEnd && "The attic is dark.");
    expect(fake.requests).toHaveLength(remembersAtEnd ? 5 : 3);
    const directory = join(session.transcript.replace(/\.jsonl$/, ""), "subagents");
    const transcripts = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8"));
    expect(transcripts.join()).not.toContain("Your work is done");
  }
});

test("a session that closes does not wait for what an agent would remember", async () => {
  const rule: Rule = (request) => {
    if (JSON.stringify(request.messages).includes("keep it")) return "I looked.";
    return request.messages.length === 1
      ? toolUse("Agent", { description: "keep", prompt: "keep it", subagent_type: "keeper", run_in_background: false })
      : "Done.";
  };
  const { deps, define, trust } = await faked({ rule }, { gates: { remembersAtEnd: true } });
  define("keeper", { memory: "project" });
  trust();
  const session = await new Promise<ReturnType<typeof opened>>((resolve) => {
    const model: typeof deps.model = async function* (request, signal) {
      if (JSON.stringify(request.messages).includes("Your work is done")) {
        resolve(one);
        await aborted(signal);
      }
      yield* deps.model(request, signal);
    };
    const one = opened({ ...deps, model });
    void turn(one, "go");
  });
  await session.close();
});
