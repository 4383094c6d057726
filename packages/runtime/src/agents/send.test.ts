import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { done, opened, stage, turn } from "../../test/sessions.ts";
import type { FrozenRequest } from "../prompt/frozen.ts";
import type { Session } from "../session.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", ...input });
const send = (id: string, to: unknown, message: string) => toolUse(id, "SendMessage", { to, message, summary: "more" });
const settled = (session: Session) => Promise.all(session.jobs.all().map((job) => job.settled));
/** The id of the agent, as the caller's conversation tells it. */
const idIn = (request: FrozenRequest) => /agentId: (a[\w-]*[0-9a-f]{16})/.exec(JSON.stringify(request.messages))?.[1];
const told = (request: FrozenRequest | undefined) => JSON.stringify(request?.messages.at(-1)?.blocks);

test("[SEND-05] [SEND-06] what is said to an agent that works is heard at its next round, and nothing it runs is interrupted", async () => {
  const { deps, requestsOf } = stage(
    {
      "": (request, nth) =>
        [[task("t1", { run_in_background: true })], [send("t2", idIn(request), "look left too")], done, done][nth] ??
        done,
      "task one": [[toolUse("u1", "Bash", { command: "sleep 0.3; echo slept" })], [words("Both.")]],
    },
    { mode: "bypassPermissions", isBypassAvailable: true },
  );
  const session = opened(deps);
  const { talk } = await turn(session, "go");
  expect(talk[4]).toContain("queued for");
  await settled(session);
  expect(requestsOf("task one")).toHaveLength(2);
  expect(told(requestsOf("task one")[1])).toMatch(/slept.*look left too/);
});

test("[SEND-01] [SEND-07] [SEND-09] an agent that has ended goes on in the background with all it knew, and its answer is a notification", async () => {
  const { deps, requestsOf } = stage({
    "": (request, nth) => [[task("t1")], [send("t2", idIn(request), "and now the cellar")], done, done][nth] ?? done,
    "task one": [[words("The attic is empty.")], [words("The cellar is full.")]],
  });
  const session = opened(deps);
  const { talk } = await turn(session, "go");
  const id = /agentId: (a[0-9a-f]{16})/.exec(talk[2] ?? "")?.[1] ?? "";
  expect(talk[4]).toContain(`\\"resumedAgentId\\":\\"${id}\\"`);
  expect(talk[4]).toMatch(/outputFile.*tasks/);
  await settled(session);
  const again = requestsOf("task one")[1];
  expect(again?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(told(again)).toContain("and now the cellar");
  const after = await turn(session);
  expect(after.talk[6]).toMatch(new RegExp(`<task-id>${id}</task-id>.*The cellar is full`));
  expect(after.talk[6]).not.toContain("tool-use-id");
});

test("[SEND-02] [ROUTE-07] a name finds the agent that has it, while this process lives; its id finds it always", async () => {
  const { deps, requestsOf } = stage({
    "": [
      [task("t1", { name: "scout", prompt: "task one" })],
      [send("t2", "scout", "task one again")],
      [send("t3", "nobody", "hello")],
      done,
      done,
    ],
    "task one": [[words("one")], [words("two")], [words("three")]],
  });
  const session = opened(deps);
  const { talk } = await turn(session, "go");
  expect(talk[4]).toContain("resumedAgentId");
  expect(talk[6]).toContain("No agent named 'nobody' is reachable");
  await settled(session);
  const id = session.jobs.find("scout")?.id ?? "";
  expect(session.jobs.find(id)).toBe(session.jobs.find("scout"));
  expect(requestsOf("task one")).toHaveLength(2);
});

test("[SEND-08] [SEND-10] [ATP-SUB-008] an agent of an earlier process goes on from its transcript; without one there is nobody to write to", async () => {
  const { deps, requestsOf } = stage({
    "": (request, nth) =>
      [[task("t1")], done, [send("t2", idIn(request), "go on")], [send("t3", "a0123456789abcdef", "go on")], done][
        nth
      ] ?? done,
    "task one": [[words("The attic is empty.")], [words("The cellar is full.")]],
  });
  const first = opened({ ...deps, sessionId: "s1" });
  await turn(first, "go");
  await first.close();
  const second = opened({ ...deps, sessionId: "s1" });
  const { talk } = await turn(second, "again");
  expect(talk[6]).toContain("resumedAgentId");
  expect(talk[8]).toContain("No agent named 'a0123456789abcdef' is reachable");
  await settled(second);
  expect(told(requestsOf("task one")[1])).toContain("go on");
  expect(JSON.stringify(requestsOf("task one")[1]?.messages)).toContain("The attic is empty.");
});

test("[SEND-12] every call is a new agent; only a message goes on with an old one", async () => {
  const { deps, requestsOf } = stage({
    "": [[task("t1")], [task("t2")], done],
    "task one": [[words("one")], [words("two")]],
  });
  const session = opened(deps);
  await turn(session, "go");
  expect(requestsOf("task one").map(({ messages }) => messages.length)).toEqual([1, 1]);
  expect(new Set(session.jobs.all().map(({ id }) => id)).size).toBe(2);
});

test("[RES-08] an agent that answers once cannot be asked again", async () => {
  const { deps } = stage({
    "": [[task("t1", { subagent_type: "Explore", name: "scout" })], [send("t2", "scout", "more")], done],
    "task one": [[words("one")]],
  });
  const { talk } = await turn(opened(deps), "go");
  expect(talk[2]).not.toContain("agentId");
  expect(talk[4]).toContain("Explore answers once");
});

test("[ATP-SUB-108] in 2026-11 it is resumed under the same id, which is notified again", async () => {
  const { deps } = stage(
    {
      "": (request, nth) =>
        [[task("t1", { run_in_background: false })], [send("t2", idIn(request), "more")], done, done][nth] ?? done,
      "task one": [[words("one")], [words("two")]],
    },
    { revision: "2026-11" },
  );
  const session = opened(deps);
  const { talk } = await turn(session, "go");
  const id = /agentId: (a[0-9a-f]{16})/.exec(talk[2] ?? "")?.[1];
  expect(talk[4]).toMatch(new RegExp(`Resuming agent ${id}.*pin`));
  await settled(session);
  expect((await turn(session)).talk[6]).toContain(`<task-id>${id}</task-id>`);
});
