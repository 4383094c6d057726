import { expect, test } from "vitest";
import { freeze } from "../model/frozen.ts";
import { type SystemParts, subagentPrompt, systemPrompt } from "./system.ts";

const whole: SystemParts = {
  role: "You review code.",
  instructions: [
    { path: "/etc/CLAUDE.md", scope: "managed", text: "Rule one.\n" },
    { path: "/p/CLAUDE.md", scope: "project", text: "Rule two." },
  ],
  memory: [
    { scope: "user", path: "/h/MEMORY.md", text: "Known everywhere." },
    { scope: "local", path: "/p/MEMORY.md", text: "Known here." },
  ],
  skills: [{ name: "review", text: "How to review." }],
  team: { name: "crew", member: "alice", members: [{ name: "lead" }, { name: "alice", agentType: "reviewer" }] },
  environment: { cwd: "/p/work", platform: "linux", date: "2026-11-18", gitBranch: "main" },
};
const textsOf = (parts: SystemParts) => systemPrompt(parts).map(({ text }) => String(text));

test("the same parts give the same bytes, in whatever order their fields stand", () => {
  const bytes = (parts: SystemParts) => systemPrompt(parts).map(freeze).join();
  const turned = Object.fromEntries(Object.entries(structuredClone(whole)).reverse()) as unknown as SystemParts;
  expect(bytes(turned)).toBe(bytes(whole));
});

test("what differs between sessions stands last: role, instructions, memory, skills, team, environment", () => {
  const text = textsOf(whole).join("\n\n");
  const inOrder = [
    "You review",
    "Rule one.",
    "Rule two.",
    "Known everywhere.",
    "Known here.",
    "How to",
    "crew",
    "/p/work",
  ];
  const places = inOrder.map((words) => text.indexOf(words));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  for (const words of ["/p/work", "linux", "2026-11-18", "main"]) {
    expect(text.indexOf(words)).toBeGreaterThan(text.indexOf("crew"));
  }
});

test("another day, directory or branch changes the last block alone", () => {
  const environment = { cwd: "/elsewhere", platform: "darwin", date: "2027-01-01" };
  const [before, after] = [textsOf(whole), textsOf({ ...whole, environment })];
  expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
  expect(after.at(-1)).not.toBe(before.at(-1));
  expect(after.at(-1)).not.toContain("branch");
});

test("a file of instructions is named, with who speaks in it", () => {
  const text = textsOf(whole).join();
  expect(text).toContain("/etc/CLAUDE.md (by the administrator of this machine)\n\nRule one.\n");
  expect(text).toContain("/p/CLAUDE.md (by the project");
});

test("the memory of every scope is a part of the system prompt, behind the role", () => {
  const { role, memory = [] } = whole;
  const [first, ...sections] = textsOf({ role, memory });
  expect(first).toBe(role);
  expect(sections).toHaveLength(2);
  memory.forEach(({ path, text }, at) => {
    expect(sections[at]).toContain(path);
    expect(sections[at]).toContain(text);
  });
  expect(textsOf({ role })).toEqual([role]);
});

test("a part that is empty is no block, since the API refuses an empty text", () => {
  expect(systemPrompt({ role: " ", instructions: [], memory: [], skills: [] })).toEqual([]);
  expect(textsOf({ role: "Yes.", instructions: [], team: undefined, environment: undefined })).toEqual(["Yes."]);
});

test("a teammate sees its own name, the team's, and who else is in it", () => {
  const section = textsOf(whole).find((text) => text.includes("crew"));
  expect(section).toContain("You are alice in the team crew");
  expect(section).toContain("- lead\n- alice (reviewer)");
});

test("a subagent gets its own system prompt and the environment, and nothing else of its caller's", () => {
  const [role, environment, ...more] = subagentPrompt({ role: "You search." }, whole).map(({ text }) => text);
  expect(role).toBe("You search.");
  expect(environment).toBe(textsOf(whole).at(-1));
  expect(more).toEqual([]);
});

test("a subagent gets the memory and the skills of its own definition", () => {
  const skills = [{ name: "search", text: "How to search." }];
  const memory = [{ scope: "user" as const, path: "/h/own/MEMORY.md", text: "Mine." }];
  const words = subagentPrompt({ role: "You search.", skills, memory }, whole)
    .map((block) => block["text"])
    .join();
  for (const own of ["How to search.", "Mine."]) expect(words).toContain(own);
  for (const foreign of ["How to review.", "Known everywhere.", "Rule", "crew"]) expect(words).not.toContain(foreign);
});
