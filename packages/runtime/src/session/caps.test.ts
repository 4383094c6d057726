import { toolUse } from "@troupe/fake-anthropic";
import { revisions } from "@troupe/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { faked } from "../../test/faked.ts";
import { changed, opened } from "../../test/sessions.ts";
import { crew } from "../../test/team.ts";
import { capReached, nothingSpent, spentAfter } from "../journal/spent.ts";

/** Ann under these caps, who never ends by herself; and how often her model was asked. */
async function capped(revision: (typeof revisions)[number], teammateCaps: object) {
  const all = await crew(revision, "ann");
  const stage = await faked({ rule: () => [toolUse("Glob", { pattern: "*" })] }, { settings: { teammateCaps } });
  stage.trust();
  const seat = { team: all.team, self: await all.team.as("ann"), lead: "team-lead" };
  const ann = opened(changed(stage.deps, { revision, seat, limits: { maxTurns: 40 } }));
  ann.tell("begin");
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const attend = async () => {
    for await (const _ of ann.attendTeam(ending.signal));
  };
  void attend();
  return { all, asked: () => stage.fake.requests.length };
}

describe.each(revisions)("in %s", (revision) => {
  test.each([
    [{ maxTurns: 3 }, /its cap of 3 turns is reached/, 3],
    [{ maxTokens: 1 }, /its cap of 1 tokens is reached \(\d+\)/, 1],
    [{ maxCost: 0.000001 }, /its cap of \$0.000001 is reached \(\$0\.\d+\)/, 1],
  ])("a teammate under the cap %j ends its turn there, and its lead is told why", async (caps, words, requests) => {
    const { all, asked } = await capped(revision, caps);
    const [why, notice] = await all.leadHeard(2);
    expect(why?.["text"]).toMatch(words);
    expect(why?.["text"]).toMatch(/^My turn ended before its work was done: .*teammateCaps/);
    expect(notice).toMatchObject({ type: "idle_notification" });
    expect(asked()).toBe(requests);
  });

  test("the cap counts all turns: whoever writes to a capped teammate is answered why, and no model is asked", async () => {
    const { all, asked } = await capped(revision, { maxTurns: 2 });
    await all.leadHeard(2);
    await all.say("ann", "go on");
    const [, , again] = await all.leadHeard(4);
    expect(again?.["text"]).toMatch(/its cap of 2 turns is reached/);
    expect(asked()).toBe(2);
  });
});

test("where the price of the model is not known nothing is spent under a cap of the cost, and all else is", () => {
  const usage = { input: 10, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 5 };
  const spent = spentAfter(nothingSpent, { kind: "answered", answer: { usage, model: "of-another-make" } as never });
  expect(spent).toEqual({ answers: 1, tokens: 15, cost: undefined });
  expect(capReached(spent, { maxCost: 100 })).toContain("the price of its model is not known");
  expect(capReached(spent, { maxTokens: 16 })).toBeUndefined();
});
