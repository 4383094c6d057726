import { expect, onTestFinished, test } from "vitest";
import { toolUse } from "../../test/entries.ts";
import { done, opened, settled, stage, turn } from "../../test/sessions.ts";
import { pause } from "./pause.ts";
import type { Tool } from "./tool.ts";

/** Counts the rounds of the event loop. */
function rounds(): () => number {
  let count = 0;
  let isOver = false;
  const next = () => {
    count += 1;
    if (!isOver) setImmediate(next);
  };
  next();
  onTestFinished(() => {
    isOver = true;
  });
  return () => count;
}

/** How often the same round was seen more than once. */
const shared = (seen: readonly number[]): number => seen.length - new Set(seen).size;

test("of those who pause at the same moment each goes on in a round of the event loop of its own", async () => {
  const round = rounds();
  const seen = await Promise.all(Array.from({ length: 50 }, () => pause().then(round)));
  expect([seen.length, shared(seen)]).toEqual([50, 0]);
});

test("between any two calls of one answer the event loop goes round, whether they run beside each other or not, or are refused", async () => {
  const round = rounds();
  const judged = new Map<number, number>();
  const ran: number[] = [];
  const tool = (name: string, isConcurrent: boolean): Tool => ({
    definition: { name, description: name, input_schema: { type: "object" } },
    isReplayable: true,
    isConcurrent: () => isConcurrent,
    faultOf(input) {
      const { at } = input as { at: number };
      if (!judged.has(at)) judged.set(at, round());
      return at % 3 === 0 ? "it is bad" : undefined;
    },
    async run() {
      ran.push(round());
      return { content: [] };
    },
  });
  const calls = Array.from({ length: 60 }, (_, at) => toolUse(`t${at}`, ["Beside", "Alone"][(at >> 2) % 2], { at }));
  const { deps } = stage(
    { "": [calls, done] },
    { tools: [tool("Beside", true), tool("Alone", false)], mode: "bypassPermissions", isBypassAvailable: true },
  );
  await turn(opened(deps), "go");
  expect([judged.size, shared([...judged.values()]), ran.length, shared(ran)]).toEqual([60, 0, 40, 0]);
});

test("a hundred agents that are started in one answer take the event loop one after the other", async () => {
  const round = rounds();
  const begun = new Map<string, number>();
  const calls = Array.from({ length: 100 }, (_, at) =>
    toolUse(`t${at}`, "Agent", { description: "look", prompt: "task one", run_in_background: true }),
  );
  const { deps } = stage(
    { "": [calls, ...Array(200).fill(done)], "task one": () => done },
    {
      gates: { maxRunning: 100 },
      onEvent: ({ agent }) => {
        if (agent && !begun.has(agent.id)) begun.set(agent.id, round());
      },
    },
  );
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  expect([begun.size, shared([...begun.values()])]).toEqual([100, 0]);
});
