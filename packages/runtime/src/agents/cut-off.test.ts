import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { done, opened, settled, stage, turn } from "../../test/sessions.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import type { Session } from "../session/session.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", run_in_background: false, ...input });
const send = (request: FrozenRequest) => {
  const to = /send a message to (a[0-9a-f]{16})/.exec(JSON.stringify(request.messages))?.[1];
  return toolUse("s1", "SendMessage", { to, message: "go on", summary: "more" });
};
const directoryOf = ({ transcript }: Session) => join(transcript.replace(/\.jsonl$/, ""), "subagents");
const metaOf = (session: Session, id: string) => join(directoryOf(session), `agent-${id}.meta.json`);
const factsIn = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/**
 * A session of two agents whose process ended while the first one was at work, as the facts beside
 * its transcript tell.
 */
async function cutOff(revision: "2026-02" | "2026-11") {
  const scene = stage(
    {
      "": (request, nth) =>
        [[task("t1"), task("t2", { prompt: "task two" })], done, done, [send(request)]][nth] ?? done,
      "task one": [[words("The attic is empty.")], [words("The cellar is full.")]],
      "task two": [done],
    },
    { revision, sessionId: "s1" },
  );
  const session = opened(scene.deps);
  await turn(session, "go");
  await session.close();
  const [id = ""] = session.jobs.all().map((job) => job.id);
  const path = metaOf(session, id);
  const { finished: _, ...facts } = factsIn(path);
  writeFileSync(path, JSON.stringify(facts));
  return { ...scene, id, path };
}

test.each(["2026-02", "2026-11"] as const)(
  "in %s an agent that was at work when its process ended is told of once, as killed, and how it goes on; others are not",
  async (revision) => {
    const { deps, id, path } = await cutOff(revision);
    const second = opened(deps);
    const { talk } = await turn(second, "again");
    const notices = talk.join().match(/<task-notification>.*?<\/task-notification>/g);
    expect(notices).toHaveLength(1);
    expect(notices?.[0]).toContain(`<task-id>${id}</task-id>`);
    expect(notices?.[0]).toContain("<status>killed</status>");
    expect(notices?.[0]).toMatch(new RegExp(`"look around\\\\" was cut off.*to resume it, send a message to ${id}`));
    expect(factsIn(path)).toMatchObject({ finished: true, description: "look around", spawnDepth: 0 });
    await second.close();
    const third = opened(deps);
    expect((await turn(third, "and again")).talk.join().match(/<task-notification>/g)).toHaveLength(1);
  },
);

test("[SEND-08] the id that is told is one to which a message can be sent", async () => {
  const { deps, requestsOf } = await cutOff("2026-02");
  const session = opened(deps);
  await turn(session, "again");
  expect((await turn(session, "let it go on")).talk.join()).toContain("resumedAgentId");
  await settled(session);
  const again = requestsOf("task one")[1]
    ?.messages.map(({ blocks }) => blocks.join())
    .join();
  expect(again).toMatch(/The attic is empty\..*go on/);
});

test("what lies there and tells of no agent is passed over, and left as it is", async () => {
  const { deps } = stage({ "": [done, done] }, { sessionId: "s1" });
  const session = opened(deps);
  const directory = directoryOf(session);
  mkdirSync(directory, { recursive: true });
  const files = {
    "agent-a1.meta.json": "no JSON",
    "agent-b1.meta.json": '{"agentType":"x"}',
    "agent-a2.meta.json": "{}",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  expect((await turn(session, "go")).talk.join()).not.toContain("task-notification");
  expect(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "utf8")])).toEqual(
    expect.arrayContaining(Object.entries(files)),
  );
});

test("facts that cannot be read keep no session from going on", async () => {
  const scene = await cutOff("2026-02");
  mkdirSync(join(scene.path, "../agent-abad.meta.json"));
  const { terminal } = await turn(opened(scene.deps), "go on");
  expect(terminal).toMatchObject({ isOk: true });
});
