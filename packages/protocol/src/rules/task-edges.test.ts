import { expect, test } from "vitest";
import type { Task } from "../task.ts";
import { circleOf, edgesAt, inOrder, isHalf, joining, parting } from "./task-edges.ts";

const tasksFrom = (...tasks: Partial<Task>[]): Map<string, Task> =>
  new Map(tasks.map((task) => [String(task.id), { status: "pending", ...task } as Task]));
const circle = (tasks: Map<string, Task>, ...added: [string, string][]) =>
  circleOf(
    added.map(([blocker, waiting]) => ({ blocker, waiting })),
    tasks,
    new Set(tasks.keys()),
  );

test("[ATP-TSK-110] an edge that stands on one side only is an edge of both its tasks", () => {
  const tasks = tasksFrom({ id: "1", blocks: ["2"] }, { id: "2" }, { id: "3", blockedBy: ["2"] });
  expect(edgesAt("1", tasks)).toEqual([{ blocker: "1", waiting: "2" }]);
  expect(edgesAt("2", tasks)).toEqual([
    { blocker: "2", waiting: "3" },
    { blocker: "1", waiting: "2" },
  ]);
});

test.each([
  ["one side", [{ id: "1", blocks: ["2"] }, { id: "2" }], true, true],
  ["the other side", [{ id: "1" }, { id: "2", blockedBy: ["1"] }], true, true],
  [
    "both sides",
    [
      { id: "1", blocks: ["2"] },
      { id: "2", blockedBy: ["1"] },
    ],
    false,
    false,
  ],
  ["a task that is gone", [{ id: "2", blockedBy: ["1"] }], false, false],
  ["what completing left", [{ id: "1", blocks: ["2"], status: "completed" as const }, { id: "2" }], false, true],
])("an edge on %s needs mending or not", (_, tasks, whereUnblocked, elsewhere) => {
  const edge = { blocker: "1", waiting: "2" };
  expect(isHalf(edge, tasksFrom(...tasks), true)).toBe(whereUnblocked);
  expect(isHalf(edge, tasksFrom(...tasks), false)).toBe(elsewhere);
});

test("joining adds the missing sides only, behind what is there", () => {
  const tasks = tasksFrom({ id: "1", blocks: ["9", "2"] }, { id: "2" }, { id: "3", blockedBy: ["1"] });
  const edges = ["2", "3"].map((waiting) => ({ blocker: "1", waiting }));
  expect([...joining(edges, tasks)]).toEqual([
    ["2", { blockedBy: ["1"] }],
    ["1", { blocks: ["9", "2", "3"] }],
  ]);
});

test("parting names only the sides that change", () => {
  const task = { id: "1", status: "pending", blocks: ["2", "3"], blockedBy: ["4"] } as Task;
  expect(parting(task, "2", ["blocks", "blockedBy"])).toEqual({ blocks: ["3"] });
  expect(parting(task, "2", ["blockedBy"])).toBeUndefined();
});

test("a circle is found through edges of either side, and named in order", () => {
  const tasks = tasksFrom({ id: "1", blocks: ["2"] }, { id: "2" }, { id: "3", blockedBy: ["2"] }, { id: "4" });
  expect(circle(tasks, ["3", "1"])).toEqual(["1", "2", "3", "1"]);
  expect(circle(tasks, ["4", "4"])).toEqual(["4", "4"]);
  expect(circle(tasks, ["4", "1"], ["3", "4"])).toEqual(["1", "2", "3", "4", "1"]);
  expect(circle(tasks, ["1", "3"], ["1", "4"], ["4", "3"])).toBeUndefined();
});

test("an id that is gone joins nothing, and a circle of others is not held against an edge beside it", () => {
  expect(circle(tasksFrom({ id: "1", blocks: ["9"] }, { id: "2", blockedBy: ["9"] }), ["2", "1"])).toBeUndefined();
  const knotted = tasksFrom({ id: "1", blocks: ["2"] }, { id: "2", blocks: ["1"] }, { id: "3" });
  expect(circle(knotted, ["2", "3"], ["1", "2"])).toBeUndefined();
});

test("ids stand in the order of their numbers, once each", () => {
  expect(inOrder(["10", "9", "../1", "1", "9"])).toEqual(["1", "9", "10"]);
});
