import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";

const { root, told, json, refusal } = openTroupe();
const taskFile = (id: string) => JSON.parse(readFileSync(join(root, `tasks/t/${id}.json`), "utf8"));
const inboxOf = (name: string) => JSON.parse(readFileSync(join(root, `teams/t/inboxes/${name}.json`), "utf8"));
const fold = (text: string) => text.replaceAll(/ +/g, " ");

test("tasks are put on the list with what they wait for, and their owners are told", () => {
  told("team", "create", "t");
  told("team", "join", "t", "alice");
  told("team", "join", "t", "bob");
  expect(told("task", "create", "t", "Read the grammar")).toBe("created #1 Read the grammar\n");
  const words = ["--description", "-", "--active-form", "Writing", "--metadata", '{"effort":2}'];
  const made = ["task", "create", "t", "Write the parser", ...words, "--blocked-by", "#1", "--owner", "alice"];
  expect(json("task-create", [...made, "--as", "bob"], { input: "With\ntests" }).task).toMatchObject({ id: "2" });
  expect(taskFile("2")).toMatchObject({
    subject: "Write the parser",
    description: "With\ntests",
    activeForm: "Writing",
    owner: "alice",
    blockedBy: ["1"],
    metadata: { effort: 2 },
  });
  expect(JSON.parse(inboxOf("alice")[0].text)).toMatchObject({ type: "task_assignment", assignedBy: "bob" });
  told("task", "create", "t", "Prepare", "--blocks", "2");
  expect(taskFile("2").blockedBy).toEqual(["1", "3"]);
});

test("what is asked for as a whole is not made by half", () => {
  expect(refusal(3, ["task", "create", "t", "Bad", "--blocked-by", "9"])).toContain("there is no task 9");
  expect(refusal(3, ["task", "create", "t", "Bad", "--owner", "carol"])).toContain('"carol" is no member');
  expect(json("task-list", ["task", "list", "t"]).tasks.map(({ id }: { id: string }) => id)).toEqual(["1", "2", "3"]);
});

test("the list, one task and the graph show what waits for what", () => {
  expect(fold(told("task", "list", "t"))).toBe(
    " #1 pending Read the grammar\n #2 pending alice Write the parser blocked by #1, #3\n #3 pending Prepare\n",
  );
  expect(json("task-list", ["task", "list", "t", "--owner", "alice"]).tasks).toMatchObject([{ id: "2" }]);
  expect(json("task-list", ["task", "list", "t", "--ready"]).tasks).toMatchObject([{ id: "1" }, { id: "3" }]);
  expect(json("task-list", ["task", "list", "t", "--status", "completed"]).tasks).toEqual([]);
  const shown = told("task", "show", "t", "#2");
  for (const part of [
    "#2 Write the parser  pending",
    "owner       alice",
    "#1, #3",
    '{"effort":2}',
    "  With\n  tests",
  ]) {
    expect(shown).toContain(part);
  }
  expect(json("task-show", ["task", "show", "t", "2"]).task).toMatchObject({ id: "2", openBlockers: ["1", "3"] });
  expect(told("task", "graph", "t")).toBe(
    "#1 pending  Read the grammar\n└─ #2 pending  Write the parser  alice\n#3 pending  Prepare\n└─ #2 pending  Write the parser  alice\n",
  );
  expect(json("task-graph", ["task", "graph", "t"]).edges).toEqual([
    { blocker: "1", waiting: "2" },
    { blocker: "3", waiting: "2" },
  ]);
  expect(told("task", "graph", "t", "--dot")).toContain('digraph "t" {\n');
});

test("a task is claimed by one, given back, and done; what it held up can go on", () => {
  const claim = (status: number, ...args: string[]) => json("task-claim", ["task", "claim", "t", ...args], { status });
  expect(claim(1, "2", "--as", "alice")).toEqual({ outcome: "blocked", by: ["1", "3"] });
  expect(claim(0, "1", "--as", "bob")).toMatchObject({ outcome: "claimed", task: { owner: "bob" } });
  expect(claim(1, "1")).toEqual({ outcome: "taken", owner: "bob" });
  expect(claim(3, "9")).toEqual({ outcome: "absent" });
  expect(claim(0)).toMatchObject({ outcome: "claimed", task: { id: "3", owner: "team-lead" } });
  expect(claim(1, "--as", "bob")).toEqual({ outcome: "none" });
  const lines = [
    refusal(1, ["task", "claim", "t", "2", "--as", "alice"]),
    refusal(1, ["task", "claim", "t", "1"]),
    refusal(1, ["task", "claim", "t"]),
  ];
  expect(lines).toEqual([
    "#2 waits for #1, #3: complete that first",
    "#1 is bob's already: claim another",
    "no task is ready: troupe task list t shows what each waits for",
  ]);

  const released = json("task-release", ["task", "release", "t", "1", "--as", "alice"], { status: 1 });
  expect(released).toEqual({ team: "t", id: "1", isReleased: false });
  expect(json("task-release", ["task", "release", "t", "1"]).isReleased).toBe(true);
  expect(taskFile("1")).toMatchObject({ status: "pending" });
  expect(json("task-complete", ["task", "complete", "t", "1"]).task.status).toBe("completed");
  expect(told("task", "complete", "t", "3")).toBe("#3 Prepare is done\n");
  expect(told("task", "claim", "t", "2", "--as", "alice")).toBe("alice has #2 Write the parser\n");
});

test("an update changes what is named, and nothing else", () => {
  const before = taskFile("2");
  const update = ["task", "update", "t", "2", "--subject", "Write it", "--metadata", '{"effort":null,"x":1}'];
  expect(json("task-update", update).task).toMatchObject({ subject: "Write it" });
  expect(taskFile("2")).toEqual({ ...before, subject: "Write it", metadata: { x: 1 } });
  told("task", "update", "t", "2", "--unassign", "--description=");
  expect(taskFile("2")).toMatchObject({ status: "pending", description: "" });
  expect(taskFile("2")).not.toHaveProperty("owner");
});

test("a task is deleted, and its id is not given again", () => {
  expect(json("task-delete", ["task", "delete", "t", "3", "--yes"])).toEqual({ team: "t", id: "3" });
  expect(told("task", "create", "t", "Another")).toBe("created #4 Another\n");
});

test("a damaged task is named and hides no other", () => {
  writeFileSync(join(root, "tasks/t/4.json"), '{"id":"4"');
  expect(refusal(5, ["task", "show", "t", "4"])).toContain("tasks/t/4.json: the text stops in the middle");
  const { tasks, problems } = json("task-list", ["task", "list", "t"]);
  expect([tasks.length, problems[0].file]).toEqual([2, "tasks/t/4.json"]);
  expect(refusal(5, ["task", "complete", "t", "4"])).toContain("cannot be read and is left as it is");
});

test("what a task waits for may be said with commas, or one after the other", () => {
  told("team", "create", "commas");
  for (const subject of ["One", "Two", "Three"]) told("task", "create", "commas", subject);
  const made = ["task", "create", "commas", "Last", "--blocked-by", "1,#2", "--blocked-by", "3"];
  expect(json("task-create", made).task).toMatchObject({ blockedBy: ["1", "2", "3"] });
});
