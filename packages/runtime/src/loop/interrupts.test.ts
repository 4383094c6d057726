import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answerOf, toolUse, words } from "../../test/entries.ts";
import {
  entriesIn,
  human,
  isPrefixChain,
  ok,
  play,
  type Rehearsal,
  rehearse,
  talkIn,
  tool,
  type World,
} from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import type { Model, ModelEvent } from "../model/model.ts";
import { scriptedModel } from "../model/scripted.ts";
import { createAbort } from "./abort.ts";

const never = new Promise<never>(() => {});
const fired = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

/** Speaks until it is cut off, the first time; afterwards it has one thing to say. */
function talkative(last = "done"): Model & { readonly begun: Promise<void> } {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let isFirst = true;
  async function* model(_: unknown, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    yield { kind: "begun" };
    if (!isFirst) return yield { kind: "answered", answer: answerOf([words(last)]) };
    isFirst = false;
    yield { kind: "piece", of: "text", text: "Once upon" };
    begin();
    await fired(signal);
    yield { kind: "failed", failure: { kind: "aborted", message: "cancelled" } };
  }
  return Object.assign(model, { begun });
}

const worldOf = (model: Model, more: Partial<World> = {}): World => ({
  path: join(scratch(), "s.jsonl"),
  model,
  inbox: [human("i1", "next", "go")],
  ...more,
});

const kinds = (world: World) => entriesIn(world.path).map(({ kind }) => kind);
const rolesAndTexts = (rehearsal: Rehearsal) =>
  talkIn(rehearsal).map(({ role, content }) => [
    role,
    ...content.map(({ text, tool_use_id, id }) => text ?? tool_use_id ?? id),
  ]);

describe("an abort", () => {
  test("in the middle of an answer ends the run with its reason, and nothing of the answer is kept", async () => {
    const model = talkative();
    const world = worldOf(model);
    const rehearsal = rehearse(world);
    const abort = createAbort();
    const playing = play(rehearsal, abort.signal);
    await model.begun;
    abort.abort("task_stop");
    expect((await playing).terminal).toEqual({ isOk: false, why: "aborted", text: "", reason: "task_stop" });
    expect(kinds(world)).not.toContain("failed");
    expect(rolesAndTexts(rehearsal)).toEqual([["user", "go"]]);
  });

  test("in a tool answers every call once, and a word afterwards goes on from there", async () => {
    const finds = async (isObedient: boolean, text: string) => {
      const abort = createAbort();
      const first = tool("First", async () => {
        abort.abort("user_interrupt");
        return isObedient ? ok("done at once") : never;
      });
      const model = scriptedModel([[toolUse("t1", "First"), toolUse("t2", "First")], [words("well")]]);
      const rehearsal = rehearse(worldOf(model, { tools: [first] }));
      const { terminal } = await play(rehearsal, abort.signal);
      expect(terminal).toMatchObject({ why: "aborted", reason: "user_interrupt" });
      const results = talkIn(rehearsal).at(-1)?.content;
      expect(results).toMatchObject([
        { tool_use_id: "t1", content: [{ text }] },
        { tool_use_id: "t2", is_error: true },
      ]);
      rehearsal.tell(human("i2", "next", "and now?"));
      expect((await play(rehearsal)).terminal).toMatchObject({ text: "well" });
      expect(isPrefixChain(rehearsal.requests)).toBe(true);
      expect(rolesAndTexts(rehearsal).at(-2)).toEqual(["user", "t1", "t2", "and now?"]);
    };
    await finds(true, "done at once");
    await finds(false, "The call was cancelled before it ended.");
  });

  test("an abort that a tool ignores ends the run all the same, and what the tool says later changes nothing", async () => {
    const abort = createAbort();
    let finish = () => {};
    const deaf = tool("Deaf", async () => {
      queueMicrotask(() => abort.abort("shutdown"));
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return ok("late");
    });
    const world = worldOf(scriptedModel([[toolUse("t1", "Deaf")]]), { tools: [deaf] });
    expect((await play(rehearse(world), abort.signal)).terminal).toMatchObject({ why: "aborted", reason: "shutdown" });
    const before = kinds(world);
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(kinds(world)).toEqual(before);
    expect(before.filter((kind) => kind === "result")).toHaveLength(1);
  });

  test("by the reader who sees the call begin lets no tool run", async () => {
    const abort = createAbort();
    const ran: string[] = [];
    const write = tool("Write", () => ok(String(ran.push("Write"))));
    const rehearsal = rehearse(worldOf(scriptedModel([[toolUse("t1", "Write")]]), { tools: [write] }));
    const { journal } = rehearsal.ports;
    const append: typeof journal.append = (entry, id) => {
      if (entry.kind === "called") abort.abort("user_interrupt");
      return journal.append(entry, id);
    };
    const ports = { ...rehearsal.ports, journal: { ...journal, append } };
    expect((await play({ ...rehearsal, ports }, abort.signal)).terminal).toMatchObject({ why: "aborted" });
    expect(ran).toEqual([]);
  });

  test("while it waits to try again ends the run", async () => {
    const abort = createAbort();
    const rehearsal = rehearse(worldOf(scriptedModel(() => ({ kind: "server", message: "" }))));
    const sleep = async (ms: number) => void (ms > 0 && abort.abort("parent_gone"));
    const { terminal } = await play({ ...rehearsal, ports: { ...rehearsal.ports, sleep } }, abort.signal);
    expect(terminal).toMatchObject({ why: "aborted", reason: "parent_gone" });
    expect(rehearsal.requests).toHaveLength(1);
  });

  test("an abort of an agent that has nothing to do is not noted", async () => {
    const world = worldOf(scriptedModel([]), { inbox: [] });
    expect((await play(rehearse(world), AbortSignal.abort("shutdown"))).terminal).toBeUndefined();
    expect(kinds(world)).toEqual(["opened"]);
  });

  test("an abort is handed down, and never up", () => {
    const session = createAbort();
    const [agent, background] = [createAbort(session.signal), createAbort()];
    const child = createAbort(agent.signal);
    agent.abort("task_stop");
    session.abort("shutdown");
    expect([child.signal.reason, background.signal.aborted]).toEqual(["task_stop", false]);
    const late = createAbort(session.signal);
    expect(late.signal.reason).toBe("shutdown");
  });
});

describe("what somebody says", () => {
  test("[QUEUE-10] `now` cuts the answer off, and is seen by the request that takes its place", async () => {
    const model = talkative();
    const world = worldOf(model);
    const rehearsal = rehearse(world);
    const playing = play(rehearsal);
    await model.begun;
    rehearsal.tell(human("i2", "now", "stop that"));
    expect((await playing).terminal).toMatchObject({ isOk: true, text: "done" });
    expect(rolesAndTexts(rehearsal)).toEqual([
      ["user", "go", "stop that"],
      ["assistant", "done"],
    ]);
    expect(rehearsal.requests).toHaveLength(2);
    expect(rehearsal.sleeps).toEqual([]);
  });

  test("[QUEUE-10] `now` is not kept waiting while a failed request waits to be tried again", async () => {
    const model = scriptedModel((_, nth) =>
      nth === 0 ? { kind: "rate_limited", message: "", retryAfterMs: 9 } : [words("done")],
    );
    const rehearsal = rehearse(worldOf(model));
    let waits = 0;
    const sleep = (ms: number) => {
      if (ms === 0 || waits++ > 0) return Promise.resolve();
      rehearsal.tell(human("i2", "now", "never mind the limit"));
      return never;
    };
    const { terminal } = await play({ ...rehearsal, ports: { ...rehearsal.ports, sleep } });
    expect(terminal).toMatchObject({ isOk: true, text: "done" });
    expect(rolesAndTexts(rehearsal)[0]).toEqual(["user", "go", "never mind the limit"]);
  });

  test("[QUEUE-03] [QUEUE-10] `next` waits for the round to end, `later` until the agent would stop", async () => {
    const rehearsal = rehearse(
      worldOf(scriptedModel([[toolUse("t1", "Tell")], [toolUse("t2", "None")], [words("done")], [words("and that")]]), {
        tools: [
          tool("Tell", () => {
            rehearsal.tell(human("i2", "later", "later"));
            rehearsal.tell(human("i3", "next", "next"));
            return ok("told");
          }),
        ],
      }),
    );
    expect((await play(rehearsal)).terminal).toMatchObject({ text: "and that" });
    expect(rolesAndTexts(rehearsal)).toEqual([
      ["user", "go"],
      ["assistant", "t1"],
      ["user", "t1", "next"],
      ["assistant", "t2"],
      ["user", "t2"],
      ["assistant", "done"],
      ["user", "later"],
      ["assistant", "and that"],
    ]);
  });

  test("an input is the agent's once it is written down, also when the reader stops at the first of many", async () => {
    const world = worldOf(scriptedModel([]), { inbox: [human("i1"), human("i2")] });
    await play(rehearse(world), undefined, 1);
    expect(kinds(world)).toEqual(["opened", "input", "input"]);
  });

  test("an input is acknowledged after it is written down", async () => {
    const world = worldOf(scriptedModel([[words("yes")]]), { inbox: [] });
    const rehearsal = rehearse(world);
    const seen: unknown[] = [];
    const arrivals = [{ input: human("i1"), acknowledge: async () => void seen.push(...kinds(world)) }];
    const inputs = { take: () => arrivals.splice(0), whenUrgent: () => never };
    await play({ ...rehearsal, ports: { ...rehearsal.ports, inputs } });
    expect(seen).toEqual(["opened", "input"]);
  });
});

test("an answer whose process died in its middle is asked for again", async () => {
  const world = worldOf(talkative());
  await play(rehearse(world), undefined, 5);
  expect(kinds(world)).toEqual(["opened", "input", "said", "prefix", "asked"]);
  const again = rehearse(world);
  expect((await play(again)).terminal).toMatchObject({ text: "done" });
  expect(rolesAndTexts(again)).toEqual([
    ["user", "go"],
    ["assistant", "done"],
  ]);
});

test("a reader who leaves in the middle of an answer ends the call of the model", async () => {
  let isClosed = false;
  const model: Model = async function* () {
    try {
      yield { kind: "piece", of: "text", text: "Once" };
      await never;
    } finally {
      isClosed = true;
    }
  };
  const { events } = await play(rehearse(worldOf(model)), undefined, 5);
  expect(events.at(-1)).toMatchObject({ kind: "piece" });
  expect(isClosed).toBe(true);
});
