import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoggedRequest, type MessagesRequest, type Rule, toolUse } from "@troupe/fake-anthropic";
import { type Revision, revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import { faked } from "../../test/faked.ts";
import { server, starts } from "../../test/served.ts";
import { opened, settled, turn } from "../../test/sessions.ts";
import { openMcp } from "../mcp/mcp.ts";

const sent = ({ json }: LoggedRequest) => json as MessagesRequest;
const task = (prompt: string, more: object = {}) =>
  toolUse("Agent", { description: prompt, prompt, subagent_type: "scout", run_in_background: false, ...more });
const firstWords = ({ messages }: MessagesRequest) => String(messages[0]?.content[0]?.["text"]);
const toolsOf = (request: MessagesRequest | undefined) => request?.tools.map(({ name }) => name).toSorted() ?? [];
const effortOf = (request: MessagesRequest | undefined) => request?.output_config?.effort;

/** A session whose main conversation makes these calls in its first answer. */
async function session(
  calls: readonly ReturnType<typeof task>[],
  ofAgents: Rule = () => "A report.",
  { revision = "2026-02" as Revision, ...over }: Parameters<typeof faked>[1] = {},
) {
  const stage = await faked(
    {
      rule: (request, context) =>
        firstWords(request) === "go"
          ? request.messages.length === 1
            ? [...calls]
            : "Done."
          : ofAgents(request, context),
    },
    { revision, ...over },
  );
  return {
    ...stage,
    requestsOf: (words: string) => stage.fake.requests.map(sent).filter((request) => firstWords(request) === words),
    async go() {
      const one = opened(stage.deps);
      const { talk } = await turn(one, "go");
      await settled(one);
      return { session: one, talk };
    },
  };
}

test.each(revisions)(
  "[DEF-02] in %s an agent has its own prompt, its own conversation and its own tools, and its caller hears its report alone",
  async (revision) => {
    const looks: Rule = ({ messages }) =>
      messages.length === 1 ? toolUse("Read", { file_path: "secret.txt" }) : "It is short.";
    const { cwd, define, requestsOf, go, deps } = await session([task("look at it")], looks, { revision });
    writeFileSync(join(cwd, "secret.txt"), "the inner words");
    define("scout", { tools: "Read, Grep" }, "You scout on foot.");
    const { talk } = await go();
    const [first, second] = requestsOf("look at it");
    expect(first?.messages).toMatchObject([{ role: "user", content: [{ type: "text", text: "look at it" }] }]);
    expect(JSON.stringify(first?.system)).toContain("You scout on foot.");
    expect(JSON.stringify(first?.system)).not.toContain(deps.role);
    expect(toolsOf(first)).toEqual(["Grep", "Read"]);
    expect(JSON.stringify(second?.messages)).toContain("the inner words");
    expect(talk.join()).toContain("It is short.");
    const callers = requestsOf("go");
    expect(JSON.stringify(callers)).not.toMatch(/the inner words|You scout on foot/);
    expect(JSON.stringify(callers[0]?.system)).toContain(deps.role);
    expect(toolsOf(callers[0])).toEqual(expect.arrayContaining(["Agent", "Bash", "Edit", "Write"]));
  },
);

test.each(revisions)(
  "[DEF-10] [ATP-DEF-008] in %s an agent ends after as many answers as its definition says, and without a word of it after none; what is no positive integer is told and bounds nothing",
  async (revision) => {
    const wrong = { zero: 0, less: -1, half: 1.5 };
    const types = ["bounded", "free", ...Object.keys(wrong)];
    const looks: Rule = ({ messages }) => (messages.length < 25 ? toolUse("Glob", { pattern: "*" }) : "At the end.");
    const calls = types.map((type) => task(`of ${type}`, { subagent_type: type }));
    const { define, requestsOf, go } = await session(calls, looks, { revision });
    define("bounded", { maxTurns: 3 });
    define("free", {});
    for (const [name, maxTurns] of Object.entries(wrong)) define(name, { maxTurns });
    const { session: own, talk } = await go();
    expect(types.map((type) => requestsOf(`of ${type}`).length)).toEqual([3, 13, 13, 13, 13]);
    expect(talk.join()).toContain("it had used all its turns");
    for (const name of Object.keys(wrong))
      expect(own.problems.join("\n")).toMatch(new RegExp(`${name}\\.md.*maxTurns`));
  },
);

test.each(revisions)(
  "[DEF-17] in %s the effort of a definition is the agent's: a level or a number",
  async (revision) => {
    const calls = ["high", "number", "none"].map((type) => task(`of ${type}`, { subagent_type: type }));
    const { define, requestsOf, go } = await session(calls, undefined, { revision });
    define("high", { effort: "high" });
    define("number", { effort: 40 });
    define("none", {});
    await go();
    expect(["of high", "of number", "of none", "go"].map((words) => effortOf(requestsOf(words)[0]))).toEqual([
      "high",
      "40",
      undefined,
      undefined,
    ]);
  },
);

test.each([
  ["2026-02", false],
  ["2026-02", undefined],
  ["2026-11", false],
] as const)(
  "[DEF-18] in %s nobody waits for an agent whose definition is for the background, whatever the call says (%s)",
  async (revision, run_in_background) => {
    const { define, go } = await session(
      [task("watch", { subagent_type: "watcher", run_in_background }), task("scout")],
      undefined,
      { revision },
    );
    define("watcher", { background: true });
    define("scout", {});
    const { session: own, talk } = await go();
    const [watcher, scout] = JSON.parse(talk[2] ?? "[]").map(({ content }: { content: object }) =>
      JSON.stringify(content),
    );
    expect(watcher).toMatch(/works in the background.*agentId/);
    expect(watcher).not.toContain("A report.");
    expect(scout).toContain("A report.");
    expect(own.jobs.all().map((job) => job.isBackground())).toEqual([true, false]);
  },
);

test.each(revisions)(
  "[DEF-20] in %s an agent waits for the servers it requires, and is not started where one fails, says nothing in time or has no tools",
  async (revision) => {
    const refusal = (type: string) =>
      `No agent was started: wants-${type} needs the MCP servers ${type.slice(0, 3)}*, which offer no tools here; check mcpServers`;
    const wanting = async (
      servers: Readonly<Record<string, object>>,
      more: readonly string[],
      connectTimeoutMs: number,
    ) => {
      const calls = [...Object.keys(servers), ...more].map((type) =>
        task(`of ${type}`, { subagent_type: `wants-${type}` }),
      );
      const settings = { mcpServers: servers };
      const open = (over: Parameters<typeof openMcp>[0]) => openMcp({ ...over, connectTimeoutMs });
      const stage = await session(calls, undefined, { revision, settings, openMcp: open });
      for (const type of Object.keys(servers))
        stage.define(`wants-${type}`, { requiredMcpServers: [`${type.slice(0, 3)}*`] });
      stage.trust();
      return stage;
    };
    const mute = await wanting({ mute: server("mute") }, [], 300);
    expect((await mute.go()).talk.join()).toContain(refusal("mute"));
    expect(mute.requestsOf("of mute")).toEqual([]);

    const { deps, cwd, define, requestsOf } = await wanting(
      { failing: server("leaving"), bare: server("bare") },
      ["slow"],
      60_000,
    );
    // It begins with its agent, so that the call itself has to wait for it.
    define("wants-slow", { requiredMcpServers: ["slow"], mcpServers: [{ slow: server("slow") }] });
    const own = opened(deps);
    const turning = turn(own, "go");
    await untilSeen("the start of the slow server", () => existsSync(join(cwd, "starts")) && starts(cwd).length === 3);
    expect(requestsOf("of slow")).toEqual([]);
    writeFileSync(join(cwd, "let-in"), "");
    const { talk } = await awaited("the end of the turn", turning);
    await settled(own);
    expect(["failing", "bare", "slow"].map((type) => requestsOf(`of ${type}`).length)).toEqual([0, 0, 1]);
    expect(toolsOf(requestsOf("of slow")[0])).toContain("mcp__slow__echo");
    for (const type of ["failing", "bare"]) expect(talk.join()).toContain(refusal(type));
  },
);

test.each([
  ["2026-02", "Look at the map first.\n\nfind it"],
  ["2026-11", "find it"],
] as const)("[DEF-21] in %s what an agent is told first is %j", async (revision, begin) => {
  const { define, go, requestsOf } = await session([task("find it")], undefined, { revision });
  define("scout", { initialPrompt: "Look at the map first." });
  await go();
  expect(requestsOf(begin)[0]?.messages).toMatchObject([{ role: "user", content: [{ type: "text", text: begin }] }]);
});

test.each(revisions)(
  "[DEF-29] in %s no call gives an agent other tools, hooks or skills than its definition does, and none is offered a field for it",
  async (revision) => {
    const hook = { hooks: [{ type: "command", command: "touch hooked" }] };
    const more = {
      tools: ["Bash", "Write"],
      allowedTools: ["Bash"],
      disallowedTools: [],
      hooks: { PreToolUse: [hook], SubagentStart: [hook] },
      skills: ["secrets"],
      mcpServers: [{ own: server() }],
    };
    const uses: Rule = ({ messages }) =>
      messages.length === 1 ? toolUse("Read", { file_path: "a.txt" }) : "A report.";
    const skill = { name: "secrets", description: "", text: async () => "the text of a skill" };
    const { cwd, define, trust, go, requestsOf } = await session([task("look", more)], uses, {
      revision,
      openMcp,
      skills: [skill as never],
    });
    writeFileSync(join(cwd, "a.txt"), "x");
    define("scout", { tools: ["Read"] });
    trust();
    await go();
    const [first] = requestsOf("look");
    expect(toolsOf(first)).toEqual(["Read"]);
    expect(JSON.stringify(first)).not.toContain("the text of a skill");
    expect(existsSync(join(cwd, "hooked"))).toBe(false);
    const offered = requestsOf("go")[0]?.tools.find(({ name }) => name === "Agent")?.["input_schema"];
    for (const field of Object.keys(more))
      expect(Object.keys((offered as { properties: object }).properties)).not.toContain(field);
  },
);
