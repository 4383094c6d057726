import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse, words } from "../../test/entries.ts";
import { gone, isAlive } from "../../test/hooked.ts";
import { server, starts } from "../../test/served.ts";
import { changed, done, opened, stage, turn } from "../../test/sessions.ts";
import { openMcp } from "../mcp/mcp.ts";
import type { FrozenRequest } from "../model/frozen.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", ...input });
const toolsOf = (request: FrozenRequest | undefined) =>
  (request?.tools ?? []).map((tool): string => JSON.parse(tool).name);

test("[PERM-02] [ATP-SUB-001] a denied type is not offered, and a call that names it fails: no other agent takes its place", async () => {
  const { deps, requests, requestsOf } = stage(
    { "": [[task("t1", { subagent_type: "Explore" })], done], "task one": [done] },
    { settings: { permissions: { deny: ["Agent(Explore)"] } } },
  );
  const { talk } = await turn(opened(deps), "go");
  const offered = requests[0]?.tools.find((tool) => tool.includes('"Agent"')) ?? "";
  expect(offered).toContain("- Plan: ");
  expect(offered).not.toContain("- Explore: ");
  expect(talk[2]).toMatch(/denied by the rule Agent\(Explore\)/);
  expect(requestsOf("task one")).toEqual([]);
});

test.each([
  ["Agent(explore)", { subagent_type: "Explore" }],
  ["Agent(Explore)", { subagent_type: " EXPLORE" }],
  ["Agent(claude_code-guide)", { subagent_type: "Claude-Code Guide" }],
  ["Task(general_purpose)", {}],
])("[PERM-02] %s denies %j: a type is denied however it is asked for", async (rule, input) => {
  const { deps, requestsOf } = stage(
    { "": [[task("t1", input)], done], "task one": [done] },
    { settings: { permissions: { deny: [rule] } } },
  );
  expect((await turn(opened(deps), "go")).talk[2]).toContain(`denied by the rule ${rule}`);
  expect(requestsOf("task one")).toEqual([]);
});

test("[PERM-01] the Agent tool is a tool: a rule can deny it whole", async () => {
  const { deps, requestsOf } = stage(
    { "": [[task("t1")], done], "task one": [done] },
    { settings: { permissions: { deny: ["Agent"] } } },
  );
  expect((await turn(opened(deps), "go")).talk[2]).toContain("denied by the rule Agent");
  expect(requestsOf("task one")).toEqual([]);
});

describe("servers of MCP", () => {
  const withServers = (servers: object) => ({ settings: { mcpServers: servers }, openMcp });

  test("[PERM-03] an agent begins when the servers it requires are there, and not at all without them", async () => {
    const { deps, define, trust, requestsOf } = stage(
      {
        "": [
          [task("t1", { subagent_type: "boxer" }), task("t2", { subagent_type: "zoologist", prompt: "task two" })],
          done,
        ],
        "task one": [done],
        "task two": [done],
      },
      withServers({ box: server(), zoo: server("leaving") }),
    );
    define("boxer", { requiredMcpServers: ["b*"] });
    define("zoologist", { requiredMcpServers: ["zoo"] });
    trust();
    const { talk } = await turn(
      opened(changed(deps, { openMcp: (over) => openMcp({ ...over, connectTimeoutMs: 3_000 }) })),
      "go",
    );
    expect(toolsOf(requestsOf("task one")[0])).toContain("mcp__box__echo");
    expect(requestsOf("task two")).toEqual([]);
    expect(talk[2]).toMatch(/zoologist needs the MCP servers zoo.*mcpServers/);
  });

  test("[PERM-09] [MCP-05] [SYNC-03] an agent has the tools of the session's servers, and those of its own, which end with it", async () => {
    const { deps, cwd, define, trust, requestsOf } = stage(
      {
        "": [[task("t1", { subagent_type: "boxer" }), task("t2", { prompt: "task two" })], done],
        "task one": [[toolUse("u1", "mcp__own__echo", { words: "here I am" })], done],
        "task two": [done],
      },
      { ...withServers({ box: server() }), mode: "bypassPermissions", isBypassAvailable: true },
    );
    define("boxer", { mcpServers: ["box", { own: server() }] });
    trust();
    await turn(opened(deps), "go");
    expect(toolsOf(requestsOf("task one")[0])).toEqual(
      expect.arrayContaining(["mcp__box__echo", "mcp__own__echo", "Read"]),
    );
    expect(JSON.stringify(requestsOf("task one")[1]?.messages)).toContain("here I am");
    expect(toolsOf(requestsOf("task two")[0])).toContain("mcp__box__echo");
    expect(toolsOf(requestsOf("task two")[0])).not.toContain("mcp__own__echo");
    const [box = 0, own = 0, ...more] = starts(cwd);
    await gone(own);
    expect([isAlive(box), more]).toEqual([true, []]);
  });

  test("a call that is cancelled while servers are awaited starts no agent, and leaves no server behind", async () => {
    const { deps, cwd, define, trust, requestsOf } = stage(
      { "": [[task("t1", { subagent_type: "boxer", run_in_background: true })], done], "task one": [done] },
      withServers({}),
    );
    define("boxer", { mcpServers: [{ own: server("mute") }] });
    trust();
    const session = opened(deps);
    const abort = new AbortController();
    await session.submit("go");
    const run = (async () => {
      for await (const _ of session.run(abort.signal));
    })();
    await untilSeen("the file starts", () => existsSync(join(cwd, "starts")));
    abort.abort("user_interrupt");
    await run;
    const [own = 0] = starts(cwd);
    await gone(own);
    expect([session.jobs.all(), requestsOf("task one")]).toEqual([[], []]);
  });
});

test("[PERM-05] [PERM-08] the tools of a named agent are chosen anew by its definition, not cut from what its caller has", async () => {
  const { deps, define, requests, requestsOf } = stage({
    "": [[task("t1", { subagent_type: "reader" }), task("t2", { subagent_type: "writer", prompt: "task two" })], done],
    "task one": [done],
    "task two": [done],
  });
  define("reader", { tools: ["Read", "Grep", "Nonsense"] });
  define("writer", { disallowedTools: "Bash, Agent" });
  await turn(opened(deps), "go");
  expect(toolsOf(requestsOf("task one")[0])).toEqual(["Read", "Grep"]);
  const all = toolsOf(requests[0]);
  expect(toolsOf(requestsOf("task two")[0])).toEqual(all.filter((name) => name !== "Bash" && name !== "Agent"));
});

test("[LIM-01] [ATP-SUB-013] in 2026-02 an agent has no Agent tool, in 2026-11 agents go three deep", async () => {
  const nested = (revision: "2026-02" | "2026-11") =>
    stage(
      {
        "": [[task("t1", { run_in_background: false })], done],
        "task one": [[task("u1", { prompt: "task two", run_in_background: false })], done],
        "task two": [[task("v1", { prompt: "task three", run_in_background: false })], done],
        "task three": [[task("w1", { prompt: "task four", run_in_background: false })], done],
      },
      { revision },
    );
  const flat = nested("2026-02");
  await turn(opened(flat.deps), "go");
  expect(toolsOf(flat.requestsOf("task one")[0])).not.toContain("Agent");
  expect(flat.requestsOf("task two")).toEqual([]);
  const deep = nested("2026-11");
  await turn(opened(deep.deps), "go");
  expect(toolsOf(deep.requestsOf("task two")[0])).toContain("Agent");
  expect(toolsOf(deep.requestsOf("task three")[0])).not.toContain("Agent");
  expect(deep.requestsOf("task four")).toEqual([]);
});

test("[HOOK-05] [HOOK-06] hooks of SubagentStart add to what an agent begins with; those of a definition are its own", async () => {
  const say = (words: string, event: string) => ({
    type: "command",
    command: `echo '{"hookSpecificOutput":{"hookEventName":"${event}","additionalContext":"${words}"}}'`,
  });
  const { deps, define, trust, requestsOf } = stage(
    {
      "": [[task("t1", { subagent_type: "reader" })], [task("t2", { prompt: "task two" })], done],
      "task one": [[toolUse("u1", "Glob", { pattern: "*" })], [words("one")]],
      "task two": [[toolUse("v1", "Glob", { pattern: "*" })], [words("two")]],
    },
    { settings: { hooks: { SubagentStart: [{ matcher: "reader", hooks: [say("mind the gap", "SubagentStart")] }] } } },
  );
  define("reader", {
    hooks: { PostToolUse: [{ matcher: "Glob", hooks: [say("only for the reader", "PostToolUse")] }] },
  });
  trust();
  await turn(opened(deps), "go");
  const [first, second] = requestsOf("task one").map(({ messages }) => messages.map(({ blocks }) => blocks.join()));
  expect(first?.[0]).toMatch(/mind the gap.*task one/);
  expect(second?.[2]).toContain("only for the reader");
  expect(JSON.stringify(requestsOf("task two"))).not.toMatch(/mind the gap|only for the reader/);
});

test("[HOOK-01] [HOOK-12] [HOOK-02] an agent that ends fires SubagentStop with its transcript, the main conversation Stop", async () => {
  const log = (event: string) => ({
    [event]: [{ hooks: [{ type: "command", command: `cat >> ${event}.ndjson; echo >> ${event}.ndjson` }] }],
  });
  const { deps, cwd, define, trust } = stage(
    { "": [[task("t1", { subagent_type: "reader" })], done], "task one": [[words("A report.")]] },
    { settings: { hooks: { ...log("Stop"), ...log("SubagentStop") } } },
  );
  define("reader", { hooks: { Stop: [{ hooks: [{ type: "command", command: "touch its-own" }] }] } });
  trust();
  await turn(opened(deps), "go");
  const [stop, subagentStop] = ["Stop", "SubagentStop"].map((event) =>
    readFileSync(join(cwd, `${event}.ndjson`), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
  expect(stop).toMatchObject([{ hook_event_name: "Stop", last_assistant_message: "done" }]);
  expect(subagentStop).toMatchObject([
    {
      agent_type: "reader",
      stop_hook_active: false,
      last_assistant_message: "A report.",
      agent_transcript_path: expect.stringMatching(/subagents\/agent-a[0-9a-f]+\.jsonl$/),
    },
  ]);
  expect(existsSync(join(cwd, "its-own"))).toBe(true);
});
