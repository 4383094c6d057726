import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";

const { root, told, json, refusal } = openTroupe();
const configOf = (team: string) => JSON.parse(readFileSync(join(root, "teams", team, "config.json"), "utf8"));
const memberOf = (team: string, name: string) =>
  configOf(team).members.find((member: { name: string }) => member.name === name);

beforeAll(() => {
  told("team", "create", "old");
  told("team", "create", "new", "--revision", "2026-11");
});

test("[ATP-MEM-012] who joins with a pane is written as a tmux member, in the fields of its revision", () => {
  const printed = json("team-join", ["team", "join", "old", "alice", "--backend", "tmux", "--pane", "%14"]);
  expect(printed.member).toEqual(memberOf("old", "alice"));
  expect(memberOf("old", "alice")).toMatchObject({ tmuxPaneId: "%14", backendType: "tmux", isActive: true });
  expect(json("team-join", ["team", "join", "new", "alice", "--pane", "%3"]).member).toEqual(memberOf("new", "alice"));
  expect(Object.keys(memberOf("new", "alice")).slice(-2)).toEqual(["cwd", "backendType"]);
  expect(memberOf("new", "alice")).toMatchObject({ tmuxPaneId: "%3", backendType: "tmux" });
});

test.each(["old", "new"])("[ATP-MEM-016] who joins %s in-process has no pane and is never active", (team) => {
  told("team", "join", team, "bob", "--backend", "in-process");
  expect(memberOf(team, "bob")).toMatchObject({ tmuxPaneId: "in-process", backendType: "in-process" });
  expect(memberOf(team, "bob")).not.toHaveProperty("isActive");
});

test.each(["old", "new"])("where nothing is said of it, %s does not say where an agent runs", (team) => {
  told("team", "join", team, "carol");
  expect(memberOf(team, "carol").tmuxPaneId).toBe("");
  expect(memberOf(team, "carol")).not.toHaveProperty("backendType");
});

test("a team says nothing of a process that leads it, since the command that made it is gone", () => {
  expect(configOf("new")).not.toHaveProperty("leadProcess");
});

test.each([
  [["--backend", "tmux"], "--pane needs the id of a tmux pane, such as %14"],
  [["--pane", "14"], '--pane needs the id of a tmux pane, such as %14, not "14"'],
  [["--backend", "in-process", "--pane", "%14"], "leave out --pane"],
  [["--backend", "docker"], '--backend takes tmux or in-process, not "docker"'],
])("a place that cannot be is refused before anybody joins: %j", (options, words) => {
  expect(refusal(2, ["team", "join", "old", "dave", ...options])).toContain(words);
  expect(memberOf("old", "dave")).toBeUndefined();
});

test("who leaves is told about with the unfinished tasks that are still its own", () => {
  for (const subject of ["One", "Two", "Three"]) told("task", "create", "new", subject, "--owner", "bob");
  told("task", "complete", "new", "1");
  told("task", "release", "new", "2");
  expect(told("team", "leave", "new", "bob")).toBe(
    "bob left new\n#3 is still bob's: troupe task release new 3 releases it\n",
  );
  expect(told("task", "release", "new", "3")).toBe("#3 can be claimed again\n");
});
