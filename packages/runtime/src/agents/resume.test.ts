import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { placeAt } from "../../test/place.ts";
import { changed, done, opened, settled, stage, turn } from "../../test/sessions.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import type { Session, SessionDeps } from "../session/session.ts";
import type { Workspaces } from "../workspace.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", run_in_background: false, ...input });
const send = (id: string, to: unknown, message = "and now the cellar") =>
  toolUse(id, "SendMessage", { to, message, summary: "more" });
/** The id of the first agent that a conversation tells of. */
const idIn = (request: FrozenRequest) => /agentId: (a[\w-]*[0-9a-f]{16})/.exec(JSON.stringify(request.messages))?.[1];
const told = (request: FrozenRequest | undefined) => JSON.stringify(request?.messages.at(-1)?.blocks);
const metaOf = (session: Session, id: string) =>
  JSON.parse(readFileSync(join(session.transcript.replace(/\.jsonl$/, ""), `subagents/agent-${id}.meta.json`), "utf8"));

/** A main conversation that has an agent do something, and writes to it in its second turn. */
const twice =
  (input: object = {}) =>
  (request: FrozenRequest, nth: number) =>
    [[task("t1", input)], done, [send("s1", idIn(request))], done][nth] ?? done;
const one = [[words("The attic is empty.")], [words("The cellar is full.")]];

describe("who is not set to work again", () => {
  test("[PERM-02] an agent whose type has been denied meanwhile stays as it is", async () => {
    const { deps, requestsOf } = stage({ "": twice(), "task one": one });
    const session = opened(deps);
    await turn(session, "go");
    const rules = [{ toolName: "Agent", ruleContent: "general-purpose" }];
    await session.permissions.apply([{ type: "addRules", rules, behavior: "deny", destination: "session" }]);
    expect((await turn(session, "again")).talk[6]).toContain("denied by the rule Agent(general-purpose)");
    expect(requestsOf("task one")).toHaveLength(1);
  });

  test("an agent whose definition is gone stays as it is", async () => {
    const { deps, cwd, define, requestsOf } = stage({ "": twice({ subagent_type: "scout" }), "task one": one });
    define("scout", {});
    const first = opened({ ...deps, sessionId: "s1" });
    await turn(first, "go");
    await first.close();
    rmSync(join(cwd, ".claude/agents/scout.md"));
    const { talk } = await turn(opened({ ...deps, sessionId: "s1" }), "again");
    expect(talk[6]).toContain("the definition of scout no longer exists");
    expect(requestsOf("task one")).toHaveLength(1);
  });

  test("an agent stays as it is while as many work as may", async () => {
    let letGo = () => {};
    const free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { deps, requestsOf } = stage(
      {
        "": (request, nth) =>
          [
            [task("t1")],
            [task("t2", { prompt: "task two", run_in_background: true })],
            [task("t3", { prompt: "task three" })],
            [send("s1", idIn(request))],
          ][nth] ?? done,
        "task one": one,
        "task two": [done],
        "task three": [done],
      },
      { gates: { maxRunning: 1 } },
    );
    const model: SessionDeps["model"] = async function* (request, signal) {
      const isAborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      if (JSON.stringify(request.messages[0]).includes("task two")) await Promise.race([free, isAborted]);
      yield* deps.model(request, signal);
    };
    const session = opened({ ...deps, model });
    const { talk } = await turn(session, "go");
    expect(talk[6]).toContain("1 agents work already, and no more are started");
    expect(requestsOf("task three")).toEqual([]);
    expect(talk[8]).toContain("agents work already, and no more are started");
    letGo();
    await settled(session);
    expect(requestsOf("task one")).toHaveLength(1);
  });

  test("who has no agent's id is not reachable, though its facts lie where those of an agent would", async () => {
    const { deps, requestsOf } = stage({ "": [done, [send("s1", "b1")], done], "task one": one });
    const session = opened(deps);
    await turn(session, "go");
    const directory = join(session.transcript.replace(/\.jsonl$/, ""), "subagents");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "agent-b1.meta.json"), JSON.stringify({ agentType: "general-purpose" }));
    expect((await turn(session, "again")).talk[4]).toContain("No agent named 'b1' is reachable");
    expect(requestsOf("")).toHaveLength(3);
  });

  test("an agent that may start none itself sets nobody to work, nor does a fork, and nobody writes to itself", async () => {
    const { deps, requestsOf } = stage(
      {
        "": (request, nth) =>
          [
            [task("t1", { subagent_type: "general-purpose" })],
            [task("t2", { subagent_type: "general-purpose", prompt: `task two ${idIn(request)}`, name: "ann" })],
            [task("t3", { subagent_type: "fork", prompt: "split it" })],
          ][nth] ?? done,
        "split it": (request, nth) => (nth === 0 ? [send("f1", idIn(request))] : done),
        "task two": (request, nth) => {
          const id = /task two (a[0-9a-f]{16})/.exec(JSON.stringify(request.messages))?.[1];
          return nth === 0 ? [send("u1", id), send("u2", "ann")] : done;
        },
        "task one": one,
      },
      { gates: { isForkEnabled: true, isInteractive: true, isBackgroundDisabled: true } },
    );
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    const [, two = ""] = requestsOf("task two").map(told);
    expect(two).toMatch(/it has ended, and an agent at your depth cannot resume others.*that is you/);
    expect(told(requestsOf("split it")[1])).toContain("a fork does its task itself and resumes no agents");
    expect(requestsOf("task one")).toHaveLength(1);
  });
});

describe("what it goes on with", () => {
  test("a fork goes on as a fork: with its parent's prompt, tools and conversation", async () => {
    const { deps, requests, requestsOf } = stage({
      "": (request, nth) =>
        [[task("t1", { subagent_type: "fork", prompt: "split it" })], done, [send("s1", idIn(request))]][nth] ?? done,
      "split it": one,
    });
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    const { talk } = await turn(session, "again");
    expect(talk.join()).toContain("resumedAgentId");
    await settled(session);
    const [first, again] = requestsOf("split it");
    expect([again?.system, again?.tools]).toEqual([requests[0]?.system, requests[0]?.tools]);
    expect(again?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
    expect(told(again)).toContain("and now the cellar");
  });

  test("an agent keeps the model that its call named, also for the agents it starts, and its turns are counted anew", async () => {
    const { deps, define, requestsOf } = stage(
      {
        "": twice({ subagent_type: "scout", model: "haiku" }),
        "task one": [done, [task("u1", { prompt: "task two" })], done],
        "task two": [done],
      },
      { revision: "2026-11" },
    );
    define("scout", { model: "sonnet", maxTurns: 2 });
    const session = opened(deps);
    await turn(session, "go");
    await turn(session, "again");
    await settled(session);
    const models = [...requestsOf("task one"), ...requestsOf("task two")].map(({ key }) => key.model);
    expect(models[0]).toMatch(/haiku/);
    expect(models).toEqual(Array(4).fill(models[0]));
    expect((await turn(session)).talk.at(-2)).not.toContain("its last turn");
  });

  test("an agent that was waited for runs what agents in the background may run from then on", async () => {
    const look = {
      definition: { name: "Look", description: "looks", input_schema: { type: "object" } },
      isReplayable: true,
      isConcurrent: () => true,
      run: async () => ({ content: [words("nothing")] }),
    };
    const { deps, requestsOf } = stage(
      { "": twice(), "task one": [[toolUse("u1", "Look")], done, [toolUse("u2", "Look")], done] },
      { revision: "2026-11", tools: [look], mode: "bypassPermissions", isBypassAvailable: true },
    );
    const session = opened(deps);
    await turn(session, "go");
    await turn(session, "again");
    await settled(session);
    const [, before, , after] = requestsOf("task one").map(told);
    expect(before).toContain("nothing");
    expect(after).toContain("There is no tool called");
  });

  test("an agent may what the session lets it, and not what whoever writes to it may; that one hears its report", async () => {
    const { deps, cwd, define, trust, asked, requestsOf } = stage(
      {
        "": (request, nth) =>
          [
            [task("t1", { subagent_type: "asker" })],
            [task("t2", { subagent_type: "writer", prompt: `task two ${idIn(request)}` })],
          ][nth] ?? done,
        "task two": (request, nth) => {
          const id = /task two (a[0-9a-f]{16})/.exec(JSON.stringify(request.messages))?.[1];
          return [[toolUse("w1", "Write", { file_path: "two.txt", content: "x" })], [send("u1", id)]][nth] ?? done;
        },
        "task one": [
          [words("The attic is empty.")],
          [toolUse("w2", "Write", { file_path: "one.txt", content: "x" })],
          [words("I could not.")],
        ],
      },
      { revision: "2026-11", gates: { agentMode: "acceptEdits" } },
    );
    define("writer", {});
    define("asker", { permissionMode: "default" });
    trust();
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    expect(asked).toMatchObject([{ tool: "Write", from: { name: "asker" } }]);
    expect([existsSync(join(cwd, "two.txt")), existsSync(join(cwd, "one.txt"))]).toEqual([true, false]);
    expect(told(requestsOf("task two").at(-1))).toMatch(/task-notification.*I could not\./);
    expect(session.queue.waiting()).toEqual([]);
  });

  test("an agent with a place of its own gets that place again", async () => {
    const scene = stage(
      {
        "": twice({ isolation: "worktree" }),
        "task one": [done, [toolUse("w1", "Write", { file_path: "a.txt", content: "x" })], done],
      },
      { gates: { agentMode: "acceptEdits" } },
    );
    const opens: string[] = [];
    const released: string[] = [];
    const open: Workspaces["open"] = async (name) => {
      const path = join(scene.home, name);
      opens.push(path);
      mkdirSync(path, { recursive: true });
      const isUsed = () => readdirSync(path).length > 0;
      const release = async () => {
        released.push(path);
        return { isKept: isUsed() };
      };
      return placeAt(path, { branch: `worktree-${name}`, leave: async () => ({ isChanged: isUsed() }), release });
    };
    const session = opened(changed(scene.deps, { workspaces: { open } }));
    await turn(session, "go");
    await turn(session, "again");
    await settled(session);
    const [place = ""] = opens;
    expect((await turn(session)).talk.at(-2)).toContain(`<worktreePath>${place}</worktreePath>`);
    expect([opens, released]).toEqual([
      [place, place],
      [place, place],
    ]);
    expect(readFileSync(join(place, "a.txt"), "utf8")).toBe("x");
  });
});

describe("how it is told", () => {
  test("an agent that goes on begins no second time, and is unfinished until it has ended again", async () => {
    const hooks = { SubagentStart: [{ hooks: [{ type: "command", command: "echo began >> starts" }] }] };
    const states: boolean[] = [];
    const { deps, cwd, trust } = stage(
      {
        "": twice(),
        "task one": (_, nth) => {
          const [job] = session.jobs.all();
          if (nth === 1 && job) states.push("finished" in metaOf(session, job.id));
          return one[nth] ?? done;
        },
      },
      { settings: { hooks } },
    );
    trust();
    const session = opened(deps);
    await turn(session, "go");
    const [job] = session.jobs.all();
    states.push("finished" in metaOf(session, job?.id ?? ""));
    await turn(session, "again");
    await settled(session);
    states.push("finished" in metaOf(session, job?.id ?? ""));
    expect(states).toEqual([true, false, true]);
    expect(readFileSync(join(cwd, "starts"), "utf8")).toBe("began\n");
  });

  test("what an agent took is told with what it had taken before", async () => {
    let clock = 0;
    const usage = { input: 40, output: 2, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    const look = (id: string) => ({ content: [toolUse(id, "Glob", { pattern: "*" })], usage });
    const { deps } = stage(
      {
        "": twice(),
        "task one": (_, nth) => {
          clock += 1_000;
          return [look("u1"), done, look("u2"), done][nth] ?? done;
        },
      },
      { now: () => new Date(clock) },
    );
    const session = opened(deps);
    await turn(session, "go");
    await turn(session, "again");
    await settled(session);
    expect((await turn(session)).talk.at(-2)).toMatch(/<total_tokens>84<.*<tool_uses>2<.*<duration_ms>4000</);
  });
});
