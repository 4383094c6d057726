import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse, words } from "../../test/entries.ts";
import { placeAt } from "../../test/place.ts";
import { changed, done, opened, settled, stage, turn } from "../../test/sessions.ts";
import type { Tool } from "../loop/tool.ts";
import type { FrozenRequest } from "../model/frozen.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", ...input });
const send = (id: string, to: unknown, message: string) => toolUse(id, "SendMessage", { to, message, summary: "more" });
/** The id of the agent, as the caller's conversation tells it. */
const idIn = (request: FrozenRequest) => /agentId: (a[\w-]*[0-9a-f]{16})/.exec(JSON.stringify(request.messages))?.[1];
const told = (request: FrozenRequest | undefined) => JSON.stringify(request?.messages.at(-1)?.blocks);

/** A promise and the way to keep it. */
function later() {
  let resolve = () => {};
  const promise = new Promise<void>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
const isOf = ({ messages }: FrozenRequest, word: string) => JSON.stringify(messages[0]).includes(word);

test("[SEND-05] [SEND-06] what is said to an agent while it runs a tool is heard with the result, and the tool is not interrupted", async () => {
  const [began, free] = [later(), later()];
  let isInterrupted: boolean | undefined;
  const wait: Tool = {
    definition: { name: "Wait", description: "waits", input_schema: { type: "object" } },
    isReplayable: false,
    isConcurrent: () => false,
    async run(_, { signal }) {
      began.resolve();
      await Promise.race([free.promise, aborted(signal)]);
      isInterrupted = signal.aborted;
      return { content: [words("waited")] };
    },
  };
  const { deps, requestsOf } = stage(
    {
      "": (request, nth) =>
        [[task("t1", { run_in_background: true })], [send("t2", idIn(request), "look left too")], done][nth] ?? done,
      "task one": [[toolUse("u1", "Wait")], [words("Both.")]],
    },
    { tools: [wait], mode: "bypassPermissions", isBypassAvailable: true },
  );
  const model: typeof deps.model = async function* (request, signal) {
    if (!isOf(request, "task one") && request.messages.length > 1) await began.promise;
    yield* deps.model(request, signal);
  };
  const session = opened({ ...deps, model });
  const { talk } = await turn(session, "go");
  expect(talk[4]).toContain("queued for");
  free.resolve();
  await settled(session);
  expect(isInterrupted).toBe(false);
  expect(requestsOf("task one")).toHaveLength(2);
  expect(told(requestsOf("task one")[1])).toMatch(/waited.*look left too/);
});

test("[SEND-05] what is said to an agent while its model answers does not cut the answer off, and is heard after it, be it the last", async () => {
  const free = later();
  const cut: boolean[] = [];
  const { deps, requestsOf } = stage({
    "": (request, nth) =>
      [[task("t1", { run_in_background: true })], [send("t2", idIn(request), "look left too")], done][nth] ?? done,
    "task one": [[words("The attic is empty.")], [words("The left is full.")]],
  });
  const model: typeof deps.model = async function* (request, signal) {
    if (isOf(request, "task one")) {
      await Promise.race([free.promise, aborted(signal)]);
      cut.push(signal.aborted);
    }
    yield* deps.model(request, signal);
  };
  const session = opened({ ...deps, model });
  expect((await turn(session, "go")).talk[4]).toContain("queued for");
  free.resolve();
  await settled(session);
  expect(cut).toEqual([false, false]);
  expect(told(requestsOf("task one")[1])).toContain("look left too");
  expect(JSON.stringify(requestsOf("task one")[1]?.messages)).toContain("The attic is empty.");
  expect((await turn(session)).talk[6]).toContain("The left is full.");
});

test("what is said in the very last moment of an agent sets it to work once more, with all of it", async () => {
  const [free, again] = [later(), later()];
  let isBroken = false;
  const { deps, requestsOf } = stage({
    "": (request, nth) =>
      [
        [task("t1", { run_in_background: true })],
        [send("t2", idIn(request), "look left"), send("t3", idIn(request), "look right")],
      ][nth] ?? done,
    "task one": [[words("Both are full.")]],
  });
  const model: typeof deps.model = async function* (request, signal) {
    if (isOf(request, "task one")) {
      await Promise.race([free.promise, aborted(signal)]);
      if (!isBroken) {
        isBroken = true;
        throw new Error("bad luck");
      }
      again.resolve();
    }
    yield* deps.model(request, signal);
  };
  const session = opened({ ...deps, model });
  await turn(session, "go");
  free.resolve();
  await again.promise;
  await settled(session);
  expect(requestsOf("task one")).toHaveLength(1);
  expect(told(requestsOf("task one")[0])).toMatch(/look left.*look right/);
  expect(session.jobs.all().map((job) => job.end()?.text)).toEqual(["Both are full."]);
});

test("two messages at once to an agent that has ended set it to work once, and it hears both", async () => {
  const [began, called, answered] = [later(), later(), later()];
  const count: Record<string, number> = {};
  const opens: string[] = [];
  const cast = (word: string) => (request: FrozenRequest, nth: number) => {
    const id = new RegExp(`task ${word} (a[0-9a-f]{16})`).exec(JSON.stringify(request.messages))?.[1];
    return nth === 0 ? [send(`s${word}`, id, `from ${word}`)] : done;
  };
  const scene = stage(
    {
      "": (request, nth) =>
        [
          [task("t1", { run_in_background: false, isolation: "worktree" })],
          ["two", "three"].map((word) =>
            task(word, { run_in_background: false, prompt: `task ${word} ${idIn(request)}` }),
          ),
        ][nth] ?? done,
      "task two": cast("two"),
      "task three": cast("three"),
      "task one": () => done,
    },
    {
      revision: "2026-11",
      onEvent(event) {
        const kind = event.agent && event.kind === "entry" ? event.entry.kind : "";
        count[kind] = (count[kind] ?? 0) + 1;
        if (count["called"] === 2) called.resolve();
        if (count["result"] === 2) answered.resolve();
      },
    },
  );
  const { deps, requestsOf } = scene;
  const model: typeof deps.model = async function* (request, signal) {
    if (isOf(request, "task three")) await Promise.race([began.promise, aborted(signal)]);
    if (isOf(request, "task one") && opens.length > 1) await Promise.race([answered.promise, aborted(signal)]);
    yield* deps.model(request, signal);
  };
  const open = async (name: string) => {
    opens.push(name);
    if (opens.length === 2) {
      began.resolve();
      await called.promise;
    }
    const path = join(scene.home, name);
    mkdirSync(path, { recursive: true });
    return placeAt(path);
  };
  const session = opened(changed(deps, { model, workspaces: { open } }));
  await turn(session, "go");
  await untilSeen("the end of all agents", () => settled(session).then(() => session.jobs.running().length === 0));
  expect(opens).toEqual([opens[0], opens[0]]);
  expect(JSON.stringify(requestsOf("task one").at(-1)?.messages)).toMatch(/from two.*from three|from three.*from two/);
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

test("every call is a new agent; only a message goes on with an old one", async () => {
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
