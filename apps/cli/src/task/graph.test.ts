import type { Task } from "@troupe/protocol";
import { expect, test } from "vitest";
import { paint } from "../paint.ts";
import { edgesOf, treeText } from "./graph.ts";

const task = (id: string, more: Partial<Task> = {}): Task => ({ id, subject: `t${id}`, status: "pending", ...more });
const draw = (...tasks: Task[]) =>
  paint(treeText(tasks, edgesOf(tasks)), { columns: Infinity, hasColor: false }).split("\n");

test("an edge counts once, whichever side names it, and only between tasks that are there", () => {
  const tasks = [task("1", { blocks: ["2", "9"] }), task("2", { blockedBy: ["1", "8"] }), task("3", { blocks: ["2"] })];
  expect(edgesOf(tasks)).toEqual([
    { blocker: "1", waiting: "2" },
    { blocker: "3", waiting: "2" },
  ]);
});

test("a task stands below each it waits for, unfolded where it stands first, in the order of the numbers", () => {
  const tasks = [
    task("10", { blockedBy: ["2"], owner: "alice" }),
    task("2", { blockedBy: ["1"] }),
    task("3", { blockedBy: ["1"] }),
    task("1", { status: "in_progress" }),
    task("4", { blocks: ["2"] }),
  ];
  expect(draw(...tasks)).toEqual([
    "#1 in_progress  t1",
    "├─ #2 pending  t2",
    "│  └─ #10 pending  t10  alice",
    "└─ #3 pending  t3",
    "#4 pending  t4",
    "└─ #2 pending  t2  (unfolded above)",
  ]);
});

test("tasks that wait for each other in a circle are shown, once", () => {
  const tasks = [task("1", { blockedBy: ["2"] }), task("2", { blockedBy: ["1"] }), task("3", { blockedBy: ["3"] })];
  expect(draw(...tasks)).toEqual([
    "#1 pending  t1",
    "└─ #2 pending  t2",
    "   └─ #1 pending  t1  (unfolded above)",
    "#3 pending  t3",
    "└─ #3 pending  t3  (unfolded above)",
  ]);
});

test("a long chain is drawn to its end, and no task is a line that says so", () => {
  const chain = Array.from({ length: 2_000 }, (_, index) => task(String(index + 1), { blocks: [String(index + 2)] }));
  expect(draw(...chain)).toHaveLength(2_000);
  expect(draw()).toEqual(["  none"]);
});
