import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allowsTool, revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { isOneShot } from "./built-in.ts";
import { agentNamed, type KnownAgent, loadDefinitions } from "./definitions.ts";

const tools = [
  "Read",
  "Grep",
  "Glob",
  "WebFetch",
  "Bash",
  "Edit",
  "Write",
  "NotebookEdit",
  "Agent",
  "ExitPlanMode",
  "mcp__db__ask",
];
const open = (revision: (typeof revisions)[number]) => {
  const top = scratch();
  const load = () => loadDefinitions({ root: join(top, "root"), cwd: top, isTrusted: false, revision }).agents;
  const named = (type: string): KnownAgent => agentNamed(load(), type) ?? expect.unreachable(`no ${type}`);
  const left = (type: string) => tools.filter((tool) => allowsTool(named(type), tool));
  return { top, load, named, left };
};
const reading = ["Read", "Grep", "Glob"];

test("the built-in agents of the first seed are there in 2026-02, with their tools and models", () => {
  const { named, left } = open("2026-02");
  expect(left("general-purpose")).toEqual(tools);
  for (const type of ["Explore", "Plan"]) expect(left(type)).toEqual(expect.arrayContaining(reading));
  expect(left("Bash")).toEqual(["Bash"]);
  const models = ["Plan", "general-purpose", "Bash", "statusline", "claude-code-guide"].map(
    (type) => named(type).model,
  );
  expect(models).toEqual(["inherit", "inherit", "inherit", "sonnet", "haiku"]);
});

test.each(revisions)("[DEF-56] in %s the list of the last seed is there, by names in lower case", (revision) => {
  const { left } = open(revision);
  expect(left("general-purpose")).toEqual(tools);
  for (const type of ["plan", "explore"]) expect(left(type)).toEqual(expect.arrayContaining(reading));
  expect(left("verification")).toEqual([...reading, "Bash"]);
  expect(left("claude-code-guide")).toEqual([...reading, "WebFetch"]);
});

test.each(revisions)(
  "[DEF-57] in %s the type decides about the tools, and a definition of one's own says its own",
  (revision) => {
    const { top, left } = open(revision);
    expect(left("general-purpose")).toEqual(tools);
    expect(left("Explore")).toEqual([...reading, "WebFetch"]);
    expect(left("Plan")).toEqual([...reading, "WebFetch", "ExitPlanMode"]);
    if (revision === "2026-02") expect(left("Bash")).toEqual(["Bash"]);
    mkdirSync(join(top, ".claude/agents"), { recursive: true });
    writeFileSync(
      join(top, ".claude/agents/own.md"),
      "---\nname: own\ndescription: Own.\ntools: Read, mcp__db\n---\nText\n",
    );
    expect(left("own")).toEqual(["Read", "mcp__db__ask"]);
  },
);

test("each revision has the names its clients have: the shell's agent is gone and a catch-all is there", () => {
  const only = (one: (typeof revisions)[number], other: (typeof revisions)[number]) =>
    open(one)
      .load()
      .map(({ agentType }) => agentType)
      .filter((type) => !agentNamed(open(other).load(), type));
  expect(only("2026-02", "2026-11")).toEqual(["Bash", "statusline"]);
  expect(only("2026-11", "2026-02")).toEqual(["claude", "statusline-setup"]);
});

test("Explore and Plan answer once, and a definition of one's own by such a name does not", () => {
  const { top, load } = open("2026-11");
  const once = () =>
    load()
      .filter(isOneShot)
      .map(({ agentType }) => agentType);
  expect(once()).toEqual(["Explore", "Plan"]);
  mkdirSync(join(top, "root/agents"), { recursive: true });
  writeFileSync(join(top, "root/agents/p.md"), "---\nname: Plan\ndescription: Own.\n---\nText\n");
  expect(once()).toEqual(["Explore"]);
});

test.each(revisions)(
  "every built-in agent of %s says when it is to be used and has a prompt of its own",
  (revision) => {
    const agents = open(revision).load();
    expect(new Set(agents.map((agent) => agent.getSystemPrompt())).size).toBe(agents.length);
    expect(agents.filter(({ whenToUse, source }) => whenToUse.length < 40 || source !== "built-in")).toEqual([]);
  },
);
