import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type LoggedRequest, type MessagesRequest, type Reply, type Rule, toolUse } from "@troupe/fake-anthropic";
import { revisions } from "@troupe/protocol";
import { describe, expect, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import { add, company } from "../../test/company.ts";
import { faked } from "../../test/faked.ts";
import { server } from "../../test/served.ts";
import { opened, settled, turn } from "../../test/sessions.ts";
import { openMcp } from "../mcp/mcp.ts";
import type { SessionOptions } from "./session.ts";

const sent = ({ json }: LoggedRequest) => json as MessagesRequest;
const toolsOf = (request: MessagesRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];
const listOf = (request: MessagesRequest | undefined) =>
  String(request?.tools.find(({ name }) => name === "Agent")?.["description"]);
const task = (subagent_type: string) =>
  toolUse("Agent", { description: subagent_type, prompt: subagent_type, subagent_type, run_in_background: false });

/** A session whose main conversation works by the definition scout. */
async function scouting(
  frontMatter: object,
  rule: Rule = () => "Done.",
  over: Parameters<typeof faked>[1] = {},
  options: SessionOptions = {},
) {
  const stage = await faked({ rule }, over);
  stage.define("scout", frontMatter, "You scout on foot.");
  stage.trust();
  const deps = { ...stage.deps, options: { ...stage.deps.options, agentType: "scout", ...options } };
  return {
    ...stage,
    deps,
    session: opened(deps),
    sent: (nth: number) => sent(stage.fake.requests[nth] ?? expect.unreachable()),
  };
}

describe.each(revisions)("in %s a session that works by a definition", (revision) => {
  test("has its prompt, model, effort and mode, each but where the session was asked for another", async () => {
    const definition = { model: "haiku", effort: "high", permissionMode: "plan" };
    const settings = { permissions: { defaultMode: "acceptEdits" } };
    const one = await scouting(definition, undefined, { revision, settings });
    await turn(one.session, "go");
    const { model, system, output_config } = one.sent(0);
    expect([model, output_config?.effort, one.session.permissions.mode()]).toEqual([
      "claude-haiku-5-5",
      "high",
      "plan",
    ]);
    expect(JSON.stringify(system)).toContain("You scout on foot.");
    const other = await scouting(definition, undefined, { revision }, { model: "opus", mode: "dontAsk" });
    await turn(other.session, "go");
    expect([other.sent(0).model, other.session.permissions.mode()]).toEqual(["claude-opus-5-5", "dontAsk"]);
    const wide = { permissions: { defaultMode: "dontAsk" } };
    const bold = await scouting({ permissionMode: "acceptEdits" }, undefined, { revision, settings: wide });
    const free = await scouting({ permissionMode: "acceptEdits" }, undefined, { revision });
    expect([bold, free].map(({ session }) => session.permissions.mode())).toEqual(["dontAsk", "acceptEdits"]);
    const inherits = await scouting({ model: "inherit" }, undefined, { revision });
    await turn(inherits.session, "go");
    expect(inherits.sent(0).model).toBe("claude-opus-5-5");
  });

  test("ends a turn after as many answers as it says, or as the session was asked for", async () => {
    const looks = () => toolUse("Glob", { pattern: "*" });
    const one = await scouting({ maxTurns: 2 }, looks, { revision });
    expect((await turn(one.session, "go")).terminal).toMatchObject({ isOk: false, why: "max_turns" });
    const other = await scouting({ maxTurns: 2 }, looks, { revision, limits: { maxTurns: 3 } });
    await turn(other.session, "go");
    expect([one.fake.requests.length, other.fake.requests.length]).toEqual([2, 3]);
  });

  test("[DEF-21] begins with its initial prompt ahead of the first words, and not again when it goes on", async () => {
    const one = await scouting({ initialPrompt: "Look at the map first." }, undefined, { revision });
    await turn(one.session, "go");
    await turn(one.session, "more");
    const texts = ({ messages }: MessagesRequest) => messages.map(({ content }) => content.map(({ text }) => text));
    expect(texts(one.sent(0))).toEqual([["Look at the map first.", "go"]]);
    expect(texts(one.sent(1)).slice(1)).toEqual([["Done."], ["more"]]);
    await one.session.close();
    await turn(opened({ ...one.deps, sessionId: one.session.id }), "and again");
    expect(texts(one.sent(2)).slice(3)).toEqual([["Done."], ["and again"]]);
  });

  test("has the servers it defines, and says which it requires in vain instead of a turn", async () => {
    const over = { revision, openMcp };
    const own = await scouting({ mcpServers: [{ own: server() }], requiredMcpServers: ["own"] }, undefined, over);
    await turn(own.session, "go");
    expect(toolsOf(own.sent(0))).toContain("mcp__own__echo");
    const vain = await scouting({ requiredMcpServers: ["zoo"] }, undefined, over);
    for (const _ of [1, 2])
      await expect(turn(vain.session, "go")).rejects.toThrow(
        "scout needs the MCP servers zoo, which offer no tools here",
      );
    expect(vain.fake.requests).toEqual([]);
  });

  test("[DEF-54] starts the types that Agent(…) of its tools names and no others, which nothing but the main conversation's definition bounds", async () => {
    const rule: Rule = ({ messages }) => {
      const words = String(messages[0]?.content[0]?.["text"]);
      if (words === "go") return messages.length === 1 ? [task("Walker"), task("rider"), task("Explore")] : "Done.";
      return words === "Walker" && revision === "2026-11" && messages.length === 1 ? task("rider") : "A report.";
    };
    const tools = ["Read", "Agent(walker, explore)"];
    const one = await scouting({ tools }, rule, { revision });
    const whole = await faked({ rule }, { revision });
    for (const { define } of [one, whole]) {
      define("walker", { tools: "Read, Agent(nobody)" });
      define("rider", {});
    }
    const session = opened(one.deps);
    const { talk } = await turn(session, "go");
    await settled(session);
    expect(talk.join()).toMatch(/there is no agent of the type \\"rider\\"; there are Explore, walker/);
    expect(session.jobs.all().map(({ command }) => command)).toEqual(["Walker", "Explore"]);
    expect(listOf(one.sent(0))).toMatch(/- Explore: [\s\S]*- walker: /);
    expect(listOf(one.sent(0))).not.toMatch(/- (rider|Plan|general-purpose|scout): /);
    const free = opened(whole.deps);
    await turn(free, "go");
    await settled(free);
    const [, ...below] = free.jobs.all().map(({ command }) => command);
    expect(below).toEqual(["rider", "Explore", ...(revision === "2026-11" ? ["rider"] : [])]);
  });
});

describe.each(revisions)("in %s a teammate works by its definition", (revision) => {
  const sessionId = "b7f5edcc-0000-4000-8000-000000000002";
  /** A lead that adds ann, who is a scout. */
  async function withAnn(
    scout: object,
    says: (nth: number, request: MessagesRequest) => Reply = () => "Done.",
    over: Parameters<typeof company>[1] = {},
  ) {
    const calls = [
      ...(revision === "2026-02" ? [toolUse("TeamCreate", { team_name: "crew" })] : []),
      add("ann", { subagent_type: "scout" }),
    ];
    const own = await company(
      { "": (_, nth) => (calls[nth] ? [calls[nth]] : "I wait."), ann: (_, nth, request) => says(nth, request) },
      { revision, sessionId, gates: { isInteractive: true }, defined: { scout }, ...over },
    );
    const { talk } = await turn(own.lead, "go");
    return { ...own, talk, heard: () => awaited("the end of ann's turn", own.lead.mail(AbortSignal.timeout(60_000))) };
  }

  test("[DEF-10] [DEF-17] [DEF-21] in its model, effort, bound of answers and initial prompt", async () => {
    const scout = {
      model: "haiku",
      effort: "max",
      maxTurns: 2,
      initialPrompt: "Look at the map first.",
      background: true,
    };
    const { heard, requestsOf, sessions } = await withAnn(scout, () => toolUse("Glob", { pattern: "*" }));
    await heard();
    const requests = requestsOf("ann");
    expect(requests).toHaveLength(2);
    expect(requests[0]).toMatchObject({ model: "claude-haiku-5-5", output_config: { effort: "max" } });
    const [first, then] = requests[0]?.messages[0]?.content.map(({ text }) => String(text)) ?? [];
    expect([first, then]).toEqual(["Look at the map first.", expect.stringContaining("do the part of ann")]);
    expect(sessions.get("ann")?.journal.state().ended).toMatchObject({ why: "max_turns" });
  });

  test("[DEF-20] and is not added while a server that it requires is not there", async () => {
    const vain = await withAnn({ requiredMcpServers: ["zoo"] }, undefined, { openMcp });
    expect(vain.talk.join()).toContain("scout needs the MCP servers zoo, which offer no tools here");
    expect(vain.specs).toEqual([]);
  });

  test("[MEM-05] [MEM-06] in a memory of its own, which it edits unasked and knows in a later team", async () => {
    const told: string[] = [];
    const asked: object[] = [];
    const says = (nth: number, request: MessagesRequest): Reply => {
      const system = request.system.map(({ text }) => String(text)).join("\n");
      if (nth === 0) told.push(system);
      const file_path = /is in (\S+MEMORY\.md)/.exec(system)?.[1];
      return nth === 0 && told.length === 1 ? toolUse("Write", { file_path, content: "The attic is empty." }) : "Done.";
    };
    const over: Parameters<typeof company>[1] = {
      bridge: async (question) => {
        asked.push(question);
        return { behavior: "deny", message: "no" };
      },
    };
    const own = await withAnn({ memory: "user", tools: ["Grep"] }, says, over);
    await own.heard();
    const names = toolsOf(own.requestsOf("ann")[0]);
    expect(names).toEqual(expect.arrayContaining(["Grep", "Read", "Write", "Edit"]));
    expect(names).not.toContain("Bash");
    const file = join(own.deps.machine.root, "agent-memory/scout/MEMORY.md");
    expect([asked, readFileSync(file, "utf8")]).toEqual([[], "The attic is empty."]);
    const again = await scouting({ memory: "user" }, undefined, { revision, root: own.deps.machine.root });
    await turn(again.session, "go");
    expect(JSON.stringify([told[0], again.sent(0).system])).toMatch(/It is still empty.*The attic is empty\./s);
  });
});
