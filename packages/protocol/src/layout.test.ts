import { expect, test } from "vitest";
import { agentMemory, agentOutput, inboxOwnerOf, layoutOf, taskIdOf, worktree } from "./layout.ts";

const layout = layoutOf("/r");
const escaping = (component: string) =>
  expect.objectContaining({ code: "path_escaping", details: { component }, message: expect.stringContaining("path") });

test("every directory lies below the root", () => {
  const { root, teams, taskLists, plans, agents } = layout;
  expect({ root, teams, taskLists, plans, agents }).toEqual({
    root: "/r",
    teams: "/r/teams",
    taskLists: "/r/tasks",
    plans: "/r/plans",
    agents: "/r/agents",
  });
  const { directory, inboxes, tasks } = layout.team("t");
  expect([directory, inboxes, tasks]).toEqual(["/r/teams/t", "/r/teams/t/inboxes", "/r/tasks/t"]);
});

test("an empty root is refused, since its paths would begin at the root of the disk", () => {
  expect(() => layoutOf("")).toThrow(expect.objectContaining({ code: "path_escaping", details: { root: "" } }));
});

const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code));
const escapes = ["", ".", "..", "a/b", "/a", "a\\b", "..\\b", ...controls.map((char) => `a${char}b`)];

test.each<[string, (part: string) => unknown]>([
  ["the project of a transcript", (part) => layout.transcript(part, "s")],
  ["the session of a transcript", (part) => layout.transcript("p", part)],
  ["the project of a subagent", (part) => layout.subagentTranscript(part, "s", "a")],
  ["the session of a subagent", (part) => layout.subagentMeta("p", part, "a")],
  ["a subagent", (part) => layout.subagentTranscript("p", "s", part)],
  ["a plan", (part) => layout.plan(part)],
  ["an agent with a memory", (part) => agentMemory("user", part, "/h", "/p")],
  ["the project of an output", (part) => agentOutput("/tmp", 1, part, "s", "i")],
  ["the session of an output", (part) => agentOutput("/tmp", 1, "p", part, "i")],
  ["an output", (part) => agentOutput("/tmp", 1, "p", "s", part)],
])("[ATP-FS-006] nothing that leads elsewhere names %s", (_, pathOf) => {
  for (const part of escapes) expect(() => pathOf(part), JSON.stringify(part)).toThrow(escaping(part));
  for (const part of ["my plan.md", ".x", "..x", "-home-dev", "团队"]) expect(pathOf(part)).toContain(part);
});

test("[ATP-FS-006] what is no UUID names no remains of a team", () => {
  for (const uuid of ["", "../../x", "E132A923-0D1E-4A56-9F0A-D9451B749AC2"])
    expect(() => layout.deletedTeam("t", uuid)).toThrow(expect.objectContaining({ code: "id_invalid" }));
});

test("[WT-08] a name that leads outside makes no path of a worktree", () => {
  for (const name of ["..", "../x", "a/../../b"])
    expect(() => worktree("/repo", name)).toThrow(expect.objectContaining({ code: "name_invalid" }));
});

test("[ATP-FS-005] the stem of a task's file is an id to the letter, up to 15 digits", () => {
  expect(taskIdOf("999999999999999.json")).toBe("999999999999999");
  for (const file of ["1000000000000000.json", "0.json", "01.json", ".json", "1xjson", "1.jsonx", "x1.json"])
    expect(taskIdOf(file), file).toBeUndefined();
});

test("only a name and .json make an inbox; locks, temporary and foreign files make none", () => {
  expect(["alice.json", "v1.2.json", "团队.json"].map(inboxOwnerOf)).toEqual(["alice", "v1.2", "团队"]);
  const others = ["alice", "alice.json.lock", "alice.json.tmp.ab12cd34", ".json", ".hidden.json", "a b.json", "aljson"];
  expect(others.map(inboxOwnerOf)).toEqual(others.map(() => undefined));
});
