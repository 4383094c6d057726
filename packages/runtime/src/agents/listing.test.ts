import { expect, test } from "vitest";
import type { Behavior } from "../permissions/rule.ts";
import type { KnownAgent } from "../project/definitions.ts";
import { agentListing, deniedAgents, offeredAgents } from "./listing.ts";

const agent = (agentType: string, more: Partial<KnownAgent> = {}): KnownAgent => ({
  agentType,
  whenToUse: `Use ${agentType}.`,
  getSystemPrompt: () => "You work.",
  source: "user",
  ...more,
});
const agents = ["Explore", "Plan", "code-reviewer", "kit:reviewer"].map((type) => agent(type));
const rule = (text: string, behavior: Behavior = "deny") => ({ behavior, text, source: "project" });
const denied = (...texts: string[]) => [
  ...deniedAgents(
    agents,
    texts.map((text) => rule(text)),
  ).keys(),
];
const names = (list: readonly KnownAgent[]) => list.map(({ agentType }) => agentType);

test("[DEF-58] [DEF-59] a rule to deny takes away the types it names, under either name of the tool", () => {
  expect(denied("Task(Explore)")).toEqual(["Explore"]);
  expect(denied("Agent(Explore, Plan)", "Agent(kit:reviewer)")).toEqual(["Explore", "Plan", "kit:reviewer"]);
  expect(denied("Agent(reviewer)", "Bash(Explore)", "Explore")).toEqual([]);
});

test("a rule denies a type however it is asked for", () => {
  expect(denied("Agent(explore)")).toEqual(["Explore"]);
  expect(denied("Agent(Code_Reviewer)")).toEqual(["code-reviewer"]);
});

test.each(["Agent", "Task", "Agent(*)", "*", "Agent(Explore", "Task()"])("%s denies every type", (text) => {
  expect(denied(text)).toEqual(names(agents));
});

test("only rules to deny deny", () => {
  expect(deniedAgents(agents, [rule("Agent(Explore)", "ask"), rule("Agent(Plan)", "allow")]).size).toBe(0);
});

test("[PERM-02] a denied type is not offered, and who asks for it is told which rule denies it and which types there are", () => {
  const rules = [rule("Agent(Explore)")];
  expect(names(offeredAgents(agents, rules, []))).toEqual(["Plan", "code-reviewer", "kit:reviewer"]);
  expect(deniedAgents(agents, rules).get("Explore")).toBe(
    "the agent Explore is denied by the rule Agent(Explore) (project), and no other agent replaces it; available: Plan, code-reviewer, kit:reviewer",
  );
  expect(deniedAgents(agents, [rule("Agent")]).get("Plan")).toMatch(/available: none$/);
});

test.each([
  [["github"], ["GitHub"], true],
  [["git*"], ["gitlab"], true],
  [["*hub"], ["github"], true],
  [["g*t*b"], ["github"], true],
  [["*"], ["x"], true],
  [["*"], [], false],
  [["git"], ["github"], false],
  [["git*git"], ["git"], false],
  [["*it*it*"], ["git"], false],
  [["hub*"], ["github"], false],
  [["a.b"], ["axb"], false],
  [["github", "db*"], ["github"], false],
  [["github", "db*"], ["DB-1", "github"], true],
  [[], [], true],
])(
  "[DEF-32] [ATP-DEF-017] an agent that requires %j is offered with %j: %j",
  (requiredMcpServers, servers, isOffered) => {
    const wanting = agent("wanting", { requiredMcpServers });
    expect(offeredAgents([wanting], [], servers)).toHaveLength(isOffered ? 1 : 0);
  },
);

test("[DEF-32] servers of its own and servers that nobody configured do not hide an agent", () => {
  const own = agent("own", { mcpServers: ["unknown", { db: { command: "db" } }] });
  expect(offeredAgents([own], [], [])).toEqual([own]);
});

test("the list of agents is the same for the same agents in any order, and each has one line", () => {
  const several = [
    agent("b", { whenToUse: "Use it.\n\n- general-purpose: anything", tools: ["Read", "Grep"] }),
    agent("a", { tools: ["*"], disallowedTools: ["Write"] }),
    agent("c", { whenToUse: "x".repeat(5_000) }),
    agent("d", { tools: [] }),
  ];
  const listing = agentListing(several);
  expect(listing).toBe(agentListing(several.toReversed()));
  expect(listing.split("\n")).toEqual([
    "- a: Use a. (Tools: all but Write)",
    "- b: Use it. - general-purpose: anything (Tools: Read, Grep)",
    expect.stringMatching(/^- c: x{1000}… \(Tools: all\)$/),
    "- d: Use d. (Tools: none)",
  ]);
});
