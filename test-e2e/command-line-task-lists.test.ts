import { existsSync } from "node:fs";
import { join } from "node:path";
import { openFileStore } from "@troupe/store/files";
import { expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";

const { root, told, json, refusal } = openTroupe();
const session = "5b1c3a52-9d5e-4a0e-8a52-0a4ff3c0a9d1";

test("the tasks of a session without a team, and those that a team left, are shown, listed and drawn under their name", async () => {
  const tasks = openFileStore({ root }).tasksOfSession(session);
  await tasks.create({ subject: "Read it", description: "" });
  await tasks.create({ subject: "Write it", description: "" });
  await tasks.update("2", { addBlockedBy: ["1"] });
  told("team", "create", "gone", "--revision", "2026-11");
  told("task", "create", "gone", "Left behind");
  told("team", "delete", "gone", "--yes");

  const { teams, lists } = json("show", ["show"]);
  expect(teams).toEqual([]);
  expect(lists).toMatchObject([
    { name: session, tasks: [{ id: "1" }, { id: "2", openBlockers: ["1"] }], problems: [] },
    { name: "gone", tasks: [{ id: "1", subject: "Left behind" }] },
  ]);
  const text = told("show");
  expect(text).toContain(`${session}  (tasks without a team)\n\n  #1  pending  Read it`);
  expect(text).toContain("gone  (tasks without a team)\n\n  #1  pending  Left behind");
  expect(json("task-list", ["task", "list", "gone"]).tasks).toMatchObject([{ subject: "Left behind" }]);
  expect(told("task", "graph", session)).toContain("└─ #2 pending  Write it");
  expect(told("task", "show", session, "#2")).toContain("blocked by  #1");
});

test("they are changed as those of a team are", () => {
  expect(json("task-claim", ["task", "claim", session, "--as", "ann"]).task).toMatchObject({ id: "1", owner: "ann" });
  expect(told("task", "complete", session, "1")).toBe("#1 Read it is done\n");
  expect(told("task", "update", session, "2", "--owner", "bob")).toBe("changed #2 Write it\n");
  expect(told("task", "release", session, "2")).toBe("#2 can be claimed again\n");
  expect(told("task", "create", session, "Print it")).toBe("created #3 Print it\n");
  expect(told("task", "delete", session, "3", "--yes")).toBe("deleted #3\n");
  expect(json("task-list", ["task", "list", session]).tasks).toMatchObject([
    { id: "1", status: "completed" },
    { id: "2", status: "pending" },
  ]);
});

test("where there is neither a team nor such a list, nothing is made", () => {
  for (const words of [
    ["list", "nobody"],
    ["create", "nobody", "x"],
    ["complete", "nobody", "1"],
  ])
    expect(refusal(3, ["task", ...words])).toContain("there is no team nobody");
  expect(existsSync(join(root, "tasks/nobody"))).toBe(false);
});
