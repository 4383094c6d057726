import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { human, ok, play, rehearse, talkIn, tool } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import type { Model } from "../model/model.ts";
import { type Script, scriptedModel } from "../model/scripted.ts";

const calls = [toolUse("t1", "Wipe"), toolUse("t2", "Wipe", { path: "a" })];
const cut = { content: calls, cut: ["t1"] };

/** A run of a tool for which an empty input means everything. */
function scene(script: Script | Model, path = join(scratch(), "s.jsonl")) {
  const wiped: unknown[] = [];
  const wipe = tool("Wipe", (input) => {
    wiped.push(input);
    return ok("wiped");
  });
  const model = Array.isArray(script) ? scriptedModel(script) : (script as Model);
  return { path, wiped, ...rehearse({ path, model, tools: [wipe], inbox: [human("i1")] }) };
}

test("a call whose input was cut is answered with what to do and not run; the whole one beside it runs", async () => {
  const run = scene([cut, [words("done")]]);
  expect((await play(run)).terminal).toMatchObject({ isOk: true, text: "done" });
  expect(run.wiped).toEqual([{ path: "a" }]);
  expect(talkIn(run)[2]?.content).toMatchObject([
    { tool_use_id: "t1", is_error: true, content: [{ text: expect.stringMatching(/not run. Retry the call/) }] },
    { tool_use_id: "t2", content: [words("wiped")] },
  ]);
});

test("nor is it run by the next process, when this one ends before it is answered", async () => {
  const first = scene([cut]);
  await play(first, undefined, 6);
  expect(first.ports.journal.state().calls).toMatchObject([{ id: "t1", isCut: true }, { id: "t2" }]);
  first.ports.journal.close();
  const second = scene([[words("done")]], first.path);
  expect(second.ports.journal.state()).toEqual(first.ports.journal.state());
  await play(second);
  expect([...first.wiped, ...second.wiped]).toEqual([{ path: "a" }]);
});

test("a model whose every call is cut is asked for no more than it takes to see that, with more room each time", async () => {
  const run = scene(
    Array.from({ length: 20 }, (_, nth) => ({ content: [toolUse(`t${nth}`, "Wipe")], cut: [`t${nth}`] })),
  );
  expect((await play(run)).terminal).toMatchObject({
    why: "model_error",
    failure: { message: expect.stringContaining("cut off") },
  });
  expect(run.requests.map(({ maxTokens }) => maxTokens)).toEqual([100, 200, 400]);
  expect(run.wiped).toEqual([]);
});

test.each<[string, Model]>([
  [
    "throws at once",
    () => {
      throw new Error("no model");
    },
  ],
  [
    "throws in the middle",
    async function* () {
      yield { kind: "begun" };
      throw new Error("no model");
    },
  ],
  [
    "ends without an end",
    async function* () {
      yield { kind: "begun" };
    },
  ],
])("a model that %s has failed; the run says so and does not throw", async (_, model) => {
  const run = scene(model);
  expect((await play(run)).terminal).toMatchObject({
    why: "model_error",
    failure: { message: expect.stringMatching(/no model|without an answer/) },
  });
  expect(run.requests).toHaveLength(4);
});
