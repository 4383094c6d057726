import { expect, test } from "vitest";
import type { Codec } from "./revisions/codec.ts";
import { codecFor } from "./revisions/detect.ts";
import { revisions } from "./revisions/revision.ts";
import {
  byId,
  isClaimable,
  isInternal,
  isTransition,
  nextId,
  openBlockersOf,
  type Task,
  TaskStatus,
  transitions,
} from "./task.ts";

const draft = { id: "1", subject: "Write the parser", description: "With tests" };
/** What would stand in the file after a patch. */
const amended = (codec: Codec, task: object, patch: Parameters<Codec["amendTask"]>[1]) =>
  codec.amendTask(codec.readTask(codec.write(task), "1"), patch) as Task;
const each = revisions.map((revision) => [revision, codecFor(revision)] as const);

test.each(each)(
  "[TASK-02] [ATP-TSK-005] %s: a new task is pending, unowned, with both arrays and nothing more",
  (_, codec) => {
    expect(codec.newTask(draft)).toEqual({ ...draft, status: "pending", blocks: [], blockedBy: [] });
    expect(Object.keys(codec.newTask({ ...draft, activeForm: "Writing", metadata: { k: 1 } }))).toEqual(
      "id subject description activeForm status blocks blockedBy metadata".split(" "),
    );
  },
);

test.each(each)(
  "[ATP-TSK-101] %s: an owner that is set later stands before the status, and clearing it removes the key",
  (_, codec) => {
    const owned = amended(codec, codec.newTask(draft), { owner: "alice", status: "in_progress" });
    expect(Object.keys(owned)).toEqual("id subject description owner status blocks blockedBy".split(" "));
    expect(amended(codec, owned, { owner: undefined })).not.toHaveProperty("owner");
  },
);

test.each(each)(
  "[ATP-TSK-001] [ATP-TSK-006] %s: an id that is no digits, or a status of no kind, makes a task unreadable",
  (_, codec) => {
    for (const bad of [
      { id: 1 },
      { id: "a" },
      { id: "1.5" },
      { id: "../1" },
      { status: "in-progress" },
      { status: "done" },
    ]) {
      const read = codec.readTask(JSON.stringify({ ...codec.newTask(draft), ...bad }), "1");
      expect(read.value).toBeUndefined();
      expect(read.problems).toHaveLength(1);
    }
    for (const status of ["pending", "in_progress", "completed", "deleted"]) {
      expect(codec.readTask(JSON.stringify({ ...codec.newTask(draft), status }), "1").problems).toEqual([]);
    }
    expect(codec.readTask(codec.write(codec.newTask(draft)), "2").problems).toMatchObject([{ code: "id_mismatched" }]);
  },
);

test.each(each)(
  "[TASK-03] [ATP-TSK-015] [ATP-TSK-019] %s: timestamps and activeForm are optional, and timestamps are not written",
  (_, codec) => {
    for (const [createdAt, updatedAt] of [
      [1706000000000, 1706000001000],
      ["2026-02-13T10:10:53Z", "2026-02-13T10:10:54Z"],
    ]) {
      const text = JSON.stringify({ ...codec.newTask(draft), createdAt, updatedAt });
      expect(codec.readTask(text, "1")).toMatchObject({ problems: [], value: { createdAt } });
    }
    expect(codec.newTask(draft)).not.toHaveProperty("createdAt");
  },
);

test.each(each)(
  "[ATP-TSK-109] %s: a task without subject, description, status or an array is reported by name",
  (_, codec) => {
    for (const key of ["subject", "description", "status", "blocks", "blockedBy"]) {
      const { [key]: _gone, ...rest } = codec.newTask(draft);
      expect(codec.readTask(JSON.stringify(rest), "1").problems).toMatchObject([
        { path: `/${key}`, code: "field_missing" },
      ]);
    }
  },
);

test.each(each)("[ATP-TSK-106] %s: an owner that is not a member is read and can be released", (_, codec) => {
  const read = codec.readTask(JSON.stringify({ ...codec.newTask(draft), owner: "stranger" }), "1");
  expect(read).toMatchObject({ problems: [], value: { owner: "stranger" } });
  expect(codec.amendTask(read, { owner: undefined })).not.toHaveProperty("owner");
});

test.each(each)(
  "[ATP-TSK-013] [ATP-TSK-016] %s: an owner spelled as an agent id is reported, unknown fields are kept",
  (_, codec) => {
    const text = JSON.stringify({ ...codec.newTask(draft), owner: "alice@team", foreign: { a: 1 } });
    const read = codec.readTask(text, "1");
    expect(read.problems).toMatchObject([{ path: "/owner", code: "field_invalid" }]);
    expect(read.value).toMatchObject({ owner: "alice@team", foreign: { a: 1 } });
    expect(() => amended(codec, codec.newTask(draft), { owner: "alice@team" })).toThrow("/owner");
  },
);

const tasks: Task[] = [
  { id: "1", status: "completed", blocks: ["9"] },
  { id: "2", status: "pending", blocks: ["8"] },
  { id: "3", status: "deleted" },
];
const waiting = (blockedBy: string[], more: Partial<Task> = {}): Task => ({
  id: "9",
  status: "pending",
  blockedBy,
  ...more,
});
const blockersOf = (task: Task) => openBlockersOf([...tasks, task]).get(task.id) ?? [];

test("[ATP-TSK-108] [ATP-TSK-039] completed, deleted and absent blockers block nothing, and only the open ones are shown", () => {
  expect(blockersOf(waiting(["1", "2", "3", "404"]))).toEqual(["2"]);
  expect(isClaimable(waiting(["1", "3", "404"]), blockersOf(waiting(["1", "3", "404"])))).toBe(true);
  expect(isClaimable(waiting(["2"]), blockersOf(waiting(["2"])))).toBe(false);
  expect(isClaimable(waiting([], { owner: "alice" }), [])).toBe(false);
  expect(isClaimable(waiting([], { status: "in_progress" }), [])).toBe(false);
});

test("[ATP-TSK-110] an edge that stands on one side only is an edge, and the document is right", () => {
  expect(blockersOf(waiting([], { id: "8" }))).toEqual(["2"]);
  expect(blockersOf(waiting(["2"], { id: "8" }))).toEqual(["2"]);
  const codec = codecFor("2026-11");
  const text = JSON.stringify({ ...codec.newTask({ ...draft, id: "5" }), blockedBy: ["2"] });
  expect(codec.readTask(text, "5").problems).toEqual([]);
});

test("[ATP-TSK-047] another client's bookkeeping is kept and never offered", () => {
  const codec = codecFor("2026-02");
  const read = codec.readTask(JSON.stringify({ ...codec.newTask(draft), metadata: { _internal: true } }), "1");
  if (!read.value) throw new Error("not read");
  expect(isInternal(read.value)).toBe(true);
  expect(isClaimable(read.value)).toBe(false);
  expect((codec.amendTask(read, { status: "completed" }) as Task).metadata).toEqual({ _internal: true });
});

test("[TASK-05] [ATP-TSK-008] work goes forward, back and again; nothing leaves deleted", () => {
  expect(isTransition("pending", "in_progress") && isTransition("in_progress", "completed")).toBe(true);
  expect(
    isTransition("in_progress", "pending") &&
      isTransition("pending", "completed") &&
      isTransition("completed", "pending"),
  ).toBe(true);
  for (const from of ["pending", "in_progress", "completed"] as const) {
    expect(isTransition(from, "deleted")).toBe(true);
    expect(isTransition("deleted", from)).toBe(false);
  }
});

test("[ATP-TSK-008] every way between two states is open but those out of deleted, and staying is no change", () => {
  const states = ["pending", "in_progress", "completed", "deleted"] as const;
  for (const from of states)
    for (const to of states)
      expect(isTransition(from, to), `${from} to ${to}`).toBe(from !== "deleted" || to === "deleted");
});

test("[ATP-TSK-006] a task has one of four states, and each of them has its transitions", () => {
  expect(Object.keys(transitions)).toEqual(TaskStatus.options);
  expect(TaskStatus.options).toHaveLength(4);
});

test("[ATP-TSK-047] bookkeeping is marked with true and nothing else", () => {
  const marked = [true, "true", 1, false, undefined].map((_internal) =>
    isInternal(waiting([], { metadata: { _internal } })),
  );
  expect(marked).toEqual([true, false, false, false, false]);
  expect(isInternal(waiting([], { metadata: { internal: true } }))).toBe(false);
  expect(isInternal(waiting([]))).toBe(false);
});

test("an owner without a name is nobody", () => {
  expect(isClaimable(waiting([], { owner: "" }))).toBe(true);
  for (const status of ["in_progress", "completed", "deleted"] as const)
    expect(isClaimable(waiting([], { status }))).toBe(false);
});

test("[ATP-TSK-108] [ATP-TSK-110] edges from both sides are told once, those to and from what is not there not at all", () => {
  const blockers = openBlockersOf(
    [
      { id: "1", status: "in_progress", blocks: ["3", "3", "404"] },
      { id: "2", status: "completed", blocks: ["3"] },
      { id: "3", status: "pending", blockedBy: ["1", "2", "404", "5", "1"] },
      { id: "4", status: "deleted", blocks: ["3"], blockedBy: ["3"] },
    ],
    ["5"],
  );
  expect([...blockers]).toEqual([
    ["1", []],
    ["2", []],
    ["3", ["1", "5"]],
    ["4", ["3"]],
  ]);
});

test("the next id passes over what is no id and no mark, and there is none after fifteen digits", () => {
  expect(nextId(["3", "10", "9", "x", "1e9", "01", "4.5"])).toBe("11");
  for (const mark of [Number.NaN, 1.5, Number.POSITIVE_INFINITY]) expect(nextId(["3"], mark)).toBe("4");
  expect(nextId([], 999_999_999_999_998)).toBe("999999999999999");
  expect(() => nextId(["999999999999999"])).toThrow(
    expect.objectContaining({ code: "id_invalid", details: { highest: 999_999_999_999_999 } }),
  );
});

test("[ATP-TSK-002] [ATP-TSK-011] ids count on from the highest ever given and sort as numbers", () => {
  expect(nextId([])).toBe("1");
  expect(nextId(["1", "9", "10"])).toBe("11");
  expect(nextId(["9"], 12)).toBe("13");
  const ids = ["10", "9", "1"].map((id) => waiting([], { id })).sort(byId);
  expect(ids.map(({ id }) => id)).toEqual(["1", "9", "10"]);
});
