import type { Revision } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { describe, expect, test } from "vitest";
import { toolUse } from "../../test/entries.ts";
import { server } from "../../test/served.ts";
import { type Cast, done, opened, settled, stage, turn } from "../../test/sessions.ts";
import { crew } from "../../test/team.ts";
import type { Tool } from "../loop/tool.ts";
import { openMcp } from "../mcp/mcp.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import type { Skill } from "../skills/skill.ts";

const nameOf = (tool: string): string => (JSON.parse(tool) as { name: string }).name;

/** The names of a request's tools in the order that the model sees, those of the server as one. */
function namesIn(request: FrozenRequest | undefined): string {
  const names = (request?.tools ?? []).map((tool) => nameOf(tool).replace(/^mcp__.*/, "mcp"));
  return names.filter((name, at) => name !== names[at - 1]).join(" ");
}

/** The results that an agent was shown last, by the ids of their calls. */
const resultsIn = (request: FrozenRequest | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (request?.messages.at(-1)?.blocks ?? [])
      .map((block) => JSON.parse(block) as { tool_use_id?: string; content?: { text: string }[] })
      .map(({ tool_use_id: id = "", content }) => [id, content?.[0]?.text ?? ""]),
  );

const look: Tool = {
  definition: { name: "Look", description: "looks", input_schema: { type: "object" } },
  isReplayable: true,
  isConcurrent: () => true,
  run: async () => ({ content: [{ type: "text", text: "seen" }] }),
};
const hide: Skill = { name: "hide", description: "hides", isForked: true, agent: "secret", text: async () => "Hide." };
const agent = (id: string, prompt: string, subagent_type: string, isBackground = false) =>
  toolUse(id, "Agent", { description: prompt, prompt, subagent_type, run_in_background: isBackground });
const options = ["a", "b"].map((label) => ({ label, description: label }));
const asking = (id: string) =>
  toolUse(id, "AskUserQuestion", { questions: [{ question: "Which?", header: "h", options }] });

/** A session with all that brings tools, and definitions of which two are denied. */
async function session(revision: Revision, cast: Cast, asMember = false) {
  const { team, root } = await crew(revision, "ann");
  const self = await team.as("ann");
  const place = { team, self, lead: "team-lead", color: "blue", planModeRequired: true };
  const scene = stage(cast, {
    revision,
    openMcp,
    tools: [look],
    skills: [hide],
    store: openFileStore({ root }),
    mode: "bypassPermissions",
    isBypassAvailable: true,
    seat: asMember ? place : undefined,
    choose: async () => ({ "Which?": "a" }),
    settings: { mcpServers: { box: server() }, permissions: { deny: ["Agent(secret)", "Task(hidden)"] } },
  });
  for (const type of ["helper", "secret", "hidden"]) scene.define(type, {});
  scene.define("narrow", { tools: ["Read", "Grep", "Agent", "ExitPlanMode"] });
  scene.trust();
  return { ...scene, session: opened(scene.deps) };
}

const cast: Cast = {
  "do one": [[agent("u1", "do five", "helper"), agent("u2", "do six", "secret"), asking("u3")], done],
  "do two": [done],
  "do three": [done],
  "directive: do four": [
    [agent("u1", "do six", "helper"), toolUse("u2", "ExitPlanMode"), toolUse("u3", "Look"), asking("u4")],
    done,
  ],
  "do five": [done],
  "": [
    [
      ...[agent("t1", "do one", "helper"), agent("t2", "do two", "narrow"), agent("t3", "do three", "helper", true)],
      ...[agent("t4", "do four", "fork"), toolUse("t5", "Skill", { skill: "hide" }), asking("t6")],
      ...["secret", "hidden", "nobody"].map((type) => agent(type, "do six", type)),
    ],
    ...[done, done, done, done],
  ],
};

const files = "Read Write Edit NotebookEdit Glob Grep Bash";
const tasks = "TaskCreate TaskGet TaskList TaskUpdate";
const plan = "EnterPlanMode ExitPlanMode";
const team = "TeamCreate TeamDelete";

const frozen = {
  "2026-02": {
    main: `${files} TaskOutput TaskStop WebFetch Skill AskUserQuestion Look ${tasks} ${plan} ${team} mcp Agent SendMessage`,
    "do one": `${files} TaskOutput TaskStop WebFetch Skill AskUserQuestion Look ${tasks} mcp SendMessage`,
    "do two": "Read Grep",
    "do three": `${files} TaskOutput TaskStop WebFetch Skill AskUserQuestion Look ${tasks} mcp SendMessage`,
    "do five": "",
  },
  "2026-11": {
    main: `${files} TaskStop WebFetch Skill AskUserQuestion Look ${tasks} ${plan} mcp Agent SendMessage`,
    "do one": `${files} TaskStop WebFetch Skill Look mcp Agent SendMessage`,
    "do two": "Read Grep Agent",
    "do three": `${files} TaskStop WebFetch Skill mcp Agent SendMessage`,
    "do five": `${files} TaskStop WebFetch Skill Look mcp Agent SendMessage`,
  },
};

describe.each(["2026-02", "2026-11"] as const)("in %s", (revision) => {
  const { main, ...below } = frozen[revision];

  test("the tools of each kind of agent are the same, in the same order and words, and a fork's are its parent's", async () => {
    const { session: one, requestsOf } = await session(revision, cast);
    await turn(one, "go");
    await settled(one);
    const found = Object.keys(below).map((word) => [word, namesIn(requestsOf(word)[0])]);
    expect({ main: namesIn(requestsOf("")[0]), ...Object.fromEntries(found) }).toEqual({ main, ...below });
    const all = requestsOf("")[0]?.tools ?? [];
    expect(requestsOf("directive: do four")[0]?.tools).toEqual(all);
    for (const word of Object.keys(below))
      for (const tool of requestsOf(word)[0]?.tools ?? []) expect(all).toContain(tool);
  });

  test("a teammate's tools are those of a session without a team", async () => {
    const { session: one, requestsOf } = await session(revision, { "": [done] }, true);
    await turn(one, "go");
    expect(one.membership()?.self.name).toBe("ann");
    expect(namesIn(requestsOf("")[0])).toBe(main);
  });

  test("an agent that is denied or unknown is refused in words that say so, to whoever asks for it", async () => {
    const { session: one, requestsOf } = await session(revision, cast);
    await turn(one, "go");
    await settled(one);
    const others = {
      "2026-02": "Bash, Explore, Plan, claude-code-guide, general-purpose, helper, narrow, statusline, verification",
      "2026-11":
        "Explore, Plan, claude, claude-code-guide, general-purpose, helper, narrow, statusline-setup, verification",
    }[revision];
    const noTool = 'There is no tool called "Agent" here: agents may start no more agents below this one.';
    const nobody = "Nobody can be asked here. Decide for yourself, and say what you took for granted.";
    expect(resultsIn(requestsOf("")[1])).toMatchObject({
      t5: `No agent was started: the agent secret is denied by the rule Agent(secret) (project), and no other agent replaces it; available: ${others}.`,
      t6: "Which?\n→ a",
      secret: "Agent was not run: denied by the rule Agent(secret) (project).",
      hidden: "Agent was not run: denied by the rule Task(hidden) (project).",
      nobody: `No agent was started: there is no agent of the type "nobody"; there are ${others}.`,
    });
    expect(resultsIn(requestsOf("do one")[1])).toMatchObject(
      revision === "2026-02"
        ? { u1: noTool, u2: noTool, u3: nobody }
        : {
            u2: "Agent was not run: denied by the rule Agent(secret) (project).",
            u3: 'There is no tool called "AskUserQuestion" here: it belongs to the main conversation alone.',
          },
    );
    expect(resultsIn(requestsOf("directive: do four")[1])).toEqual({
      u1: "No agent was started: a fork does its task itself and starts no agents; go on with your own tools.",
      u2: 'There is no tool called "ExitPlanMode" here: it belongs to the main conversation alone.',
      u3: "seen",
      u4: nobody,
    });
  });
});
