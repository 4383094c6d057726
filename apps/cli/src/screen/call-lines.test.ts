import { expect, test } from "vitest";
import { paint } from "../paint.ts";
import { callLines } from "./call-lines.ts";

const shown = (name: string, input: object, text: string, isUnfolded = false) => {
  const call = { id: "c", name, input, hasBegun: true, result: { text, isError: false } };
  const look = { isUnfolded, isSpoken: false, shorten: (whole: string) => whole };
  return paint(callLines(call, look), { columns: 80, hasColor: false }).split("\n");
};

test("what a tool tells the model alone is left out for a person, and is there unfolded", () => {
  const away = "Sent away: it goes on in the background as b1. Its output is in /tmp/b1.output. You are notified.";
  expect(shown("Bash", { command: "make" }, away)).toEqual(["● Bash  make", "  └ in the background"]);
  expect(shown("Bash", { command: "make" }, "all is built")).toEqual(["● Bash  make", "  └ all is built"]);
  const approved = "User has approved exiting plan mode";
  expect(shown("ExitPlanMode", {}, approved)).toEqual(["● ExitPlanMode", "  └ approved"]);
  expect(shown("ExitPlanMode", {}, approved, true)).toEqual(["● ExitPlanMode", `  └ ${approved}`]);
  const plan = "/home/.claude/plans/one-two-three.md";
  expect(shown("Write", { file_path: plan, content: "1. Read" }, `Created ${plan}.`)).toEqual([`● Write  ${plan}`]);
  const mate = "agent_id: ann@crew\nname: ann\nteam_name: crew";
  expect(shown("Agent", { description: "be ann" }, mate)).toEqual(["● Agent  be ann", "  └ ann is at work"]);
});

test("of a change to a task its number stands there, and what it is to become", () => {
  const input = { taskId: "2", status: "in_progress", owner: "ann", addBlockedBy: ["1", "3"], addBlocks: ["4"] };
  expect(shown("TaskUpdate", input, "Updated")).toEqual([
    "● TaskUpdate  #2  in progress  for ann  after #1, #3  before #4",
  ]);
  expect(shown("TaskUpdate", { taskId: 2, addBlocks: "4" }, "Updated")).toEqual(["● TaskUpdate  #?"]);
});
