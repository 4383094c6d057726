import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { done, opened, settled, stage, turn } from "../../test/sessions.ts";
import type { Session } from "../session/session.ts";

const directoryOf = ({ transcript }: Session) => join(transcript.replace(/\.jsonl$/, ""), "subagents");
const ends = (talk: readonly string[]) =>
  talk.join().match(/<task-id>.*?<\/task-id>.*?<status>killed<\/status>/g) ?? [];

test("what lies there and tells of no agent is passed over, and left as it is", async () => {
  const { deps } = stage({ "": [done, done] }, { sessionId: "s1" });
  const session = opened(deps);
  const directory = directoryOf(session);
  mkdirSync(directory, { recursive: true });
  const files = {
    "agent-a1.meta.json": "no JSON",
    "agent-b1.meta.json": '{"agentType":"x"}',
    "agent-a2.meta.json": "{}",
    "agent-a3.meta.json": '{"agentType":"hook"}',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  mkdirSync(join(directory, "agent-abad.meta.json"));
  expect((await turn(session, "go")).talk.join()).not.toContain("task-notification");
  const found = Object.keys(files).map((name) => [name, readFileSync(join(directory, name), "utf8")]);
  expect(Object.fromEntries(found)).toEqual(files);
  expect(readdirSync(directory)).toHaveLength(5);
});

test("facts of an older version that say of no end are told of once, as cut off", async () => {
  const { deps } = stage({ "": [done, done, done] }, { sessionId: "s1" });
  const first = opened(deps);
  const path = join(directoryOf(first), "agent-a1.meta.json");
  mkdirSync(directoryOf(first), { recursive: true });
  writeFileSync(path, JSON.stringify({ agentType: "x", description: "look", requestShape: "foreground" }));
  await turn(first, "go");
  await settled(first);
  const { talk } = await turn(first);
  expect(ends(talk)).toHaveLength(1);
  expect(talk.join()).toContain("<task-id>a1</task-id>");
  await first.close();
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ finished: true, run: 0, told: 0 });
  expect(ends((await turn(opened(deps), "again")).talk)).toHaveLength(1);
});

test("[SEND-02] [ROUTE-07] a name in use is refused with its holder, also for two calls of one answer; a message reaches the holder", async () => {
  const agent = (id: string, prompt: string, more: object = {}) =>
    toolUse(id, "Agent", { description: "look around", prompt, name: "scout", ...more });
  const { deps, requestsOf } = stage({
    "": [
      [agent("t1", "task one", { run_in_background: true }), agent("t2", "task two")],
      [agent("t3", "task three")],
      [toolUse("t4", "SendMessage", { to: "scout", message: "go on", summary: "more" })],
      done,
      done,
    ],
    "task one": [[words("one")], [words("two")]],
  });
  const session = opened(deps);
  const { talk } = await turn(session, "go");
  const [job] = session.jobs.all();
  expect(talk[2]).toContain(`No agent was started: the name scout is in use: the agent ${job?.id}`);
  expect(talk[4]).toContain(`the name scout is in use: the agent ${job?.id}`);
  expect(talk[6]).toContain('success\\":true');
  await settled(session);
  expect(session.jobs.all()).toHaveLength(1);
  expect([requestsOf("task two"), requestsOf("task three")]).toEqual([[], []]);
  expect(requestsOf("task one")).toHaveLength(2);
});
