import { expect, test } from "vitest";
import type { TaskCard } from "../../views.ts";
import { columnsOf } from "./board.ts";
import { criticalPath, graphOf } from "./graph.ts";

const card = (id: string, status: TaskCard["status"], more: Partial<TaskCard> = {}): TaskCard => ({
  id,
  subject: `Task ${id}`,
  status,
  owner: null,
  openBlockers: [],
  changedAt: 0,
  ...more,
});
const edge = (blocker: string, waiting: string) => ({ blocker, waiting });

test("tasks stand in four columns: what can begin is told from what waits, and what was done last comes first", () => {
  const tasks = [
    card("1", "completed", { changedAt: 1 }),
    card("2", "completed", { changedAt: 2 }),
    card("3", "in_progress", { owner: "ann" }),
    card("4", "pending"),
    card("5", "pending", { openBlockers: ["3"] }),
  ];
  const ids = (q: string) => columnsOf(tasks, q).map(({ title, cards }) => [title, ...cards.map(({ id }) => id)]);
  expect(ids("")).toEqual([
    ["Ready", "4"],
    ["Blocked", "5"],
    ["In progress", "3"],
    ["Completed", "2", "1"],
  ]);
  expect(ids("ANN task")).toEqual([["Ready"], ["Blocked"], ["In progress", "3"], ["Completed"]]);
  expect(ids("#5")).toEqual([["Ready"], ["Blocked", "5"], ["In progress"], ["Completed"]]);
});

test("the critical path is the longest chain of what is not done", () => {
  const tasks = ["1", "2", "3", "4", "5"].map((id) => card(id, id === "1" ? "completed" : "pending"));
  expect(criticalPath(tasks, [edge("1", "2"), edge("2", "3"), edge("3", "5"), edge("4", "5")])).toEqual([
    "2",
    "3",
    "5",
  ]);
  expect(criticalPath(tasks, [edge("1", "2")])).toEqual([]);
  expect(criticalPath(tasks, [])).toEqual([]);
});

test("each task stands behind all that it waits for, and the longest chain in the first row", () => {
  const tasks = ["1", "2", "3", "4"].map((id) => card(id, "pending"));
  const { nodes, edges, more } = graphOf(
    [...tasks, card("9", "pending")],
    [edge("1", "2"), edge("2", "4"), edge("3", "4")],
  );
  expect(nodes.map(({ task, x, y, isCritical }) => [task.id, x, y, isCritical])).toEqual([
    ["1", 0, 0, true],
    ["2", 1, 0, true],
    ["4", 2, 0, true],
    ["3", 0, 1, false],
  ]);
  expect(edges.map(({ blocker, waiting, isCritical }) => [blocker, waiting, isCritical])).toEqual([
    ["1", "2", true],
    ["2", "4", true],
    ["3", "4", false],
  ]);
  expect(more).toBe(0);
});

test("a circle is drawn, and a graph of thousands says what it leaves out", () => {
  const circle = graphOf([card("1", "pending"), card("2", "pending")], [edge("1", "2"), edge("2", "1")]);
  expect(circle.nodes).toHaveLength(2);
  const many = Array.from({ length: 2_000 }, (_, at) => card(String(at + 1), at < 500 ? "completed" : "pending"));
  const chain = many.slice(1).map(({ id }, at) => edge(String(at + 1), id));
  const { nodes, more } = graphOf(many, chain);
  expect([nodes.length, more]).toEqual([200, 1_800]);
  expect(nodes.every(({ task }) => task.status === "pending")).toBe(true);
});
