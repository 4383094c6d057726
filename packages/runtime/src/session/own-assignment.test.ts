import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { revisions } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import type { Membership } from "@troupe/team";
import { expect, test } from "vitest";
import { hooked } from "../../test/hooked.ts";
import { scratch } from "../../test/scratch.ts";
import { mate, taskCaller, teamOf } from "../../test/task-callers.ts";
import { taskBoard } from "./tools.ts";

test.each(revisions)(
  "[ATP-TSK-104] in %s who takes a task itself is sent the assignment where the client sends it",
  async (revision) => {
    const root = scratch();
    const team = await openFileStore({ root }).createTeam({ ...teamOf, revision });
    await team.join(mate("alice"));
    const { id } = await team.tasks.create({ subject: "Read", description: "all of it" });
    const self = await team.as("alice");
    const reports = { show: () => {}, stop: () => {} };
    const membership = () => ({ team, self }) as unknown as Membership;
    const now = () => new Date(1_770_535_107_409);
    const board = taskBoard({
      hooks: hooked({}),
      reports,
      revision,
      membership,
      store: undefined,
      sessionId: "s",
      now,
    });
    await taskCaller(board).call("TaskUpdate", { taskId: id, owner: "alice" });
    const inbox = join(root, "teams/t/inboxes/alice.json");
    const entries = existsSync(inbox) ? JSON.parse(readFileSync(inbox, "utf8")) : [];
    const told = {
      type: "task_assignment",
      taskId: "1",
      subject: "Read",
      description: "all of it",
      assignedBy: "alice",
    };
    const body = { ...told, timestamp: "2026-02-08T07:18:27.409Z" };
    expect(entries.map(({ text }: { text: string }) => JSON.parse(text))).toEqual(revision === "2026-11" ? [body] : []);
    for (const entry of entries) expect(entry).not.toHaveProperty("color");
  },
);

test("a session opens a task list of its own when it is first asked for, once, and none while it is in a team", async () => {
  const root = scratch();
  const store = openFileStore({ root });
  const team = await store.createTeam(teamOf);
  const self = await team.as("team-lead");
  const reports = { show: () => {}, stop: () => {} };
  const opened: string[] = [];
  const tasksOfSession = (sessionId: string) => {
    opened.push(sessionId);
    return store.tasksOfSession(sessionId);
  };
  let membership: Membership | undefined = { team, self } as unknown as Membership;
  const deps = { hooks: hooked({}), reports, revision: "2026-11", now: () => new Date() } as const;
  const board = taskBoard({ ...deps, membership: () => membership, store: { tasksOfSession }, sessionId: "own" });
  expect(board.tasks).toBe(self.tasks);
  expect([opened, existsSync(join(root, "tasks/own"))]).toEqual([[], false]);
  membership = undefined;
  expect(board.tasks).toBe(board.tasks);
  expect([opened, existsSync(join(root, "tasks/own"))]).toEqual([["own"], true]);
});
