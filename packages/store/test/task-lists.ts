import { readFileSync, writeFileSync } from "node:fs";
import { codecFor, type Revision, type TeamLayout } from "@troupe/protocol";
import { openTasks } from "../src/files/tasks.ts";
import type { Tasks } from "../src/store.ts";

export const draft = { subject: "Write the parser", description: "With tests" };

/** A task as it stands in its file. */
export const read = (layout: TeamLayout, id: string) => JSON.parse(readFileSync(layout.task(id), "utf8"));

/** Writes a task as a program of another make does. */
export const put = (layout: TeamLayout, id: string, fields: object) =>
  writeFileSync(
    layout.task(id),
    JSON.stringify({ id, ...draft, status: "pending", blocks: [], blockedBy: [], ...fields }),
  );

/** Opens lists of a revision, of whose team alice and bob are members. */
export function lists(revision: Revision) {
  const codec = codecFor(revision);
  const open = (layout: TeamLayout, more: Partial<Parameters<typeof openTasks>[0]> = {}): Tasks =>
    openTasks({ layout, codec, isMember: async (name) => ["alice", "bob"].includes(name), ...more });
  return {
    open,
    /** A list with so many tasks in it. */
    async openWith(layout: TeamLayout, count: number): Promise<Tasks> {
      const tasks = open(layout);
      for (let n = 0; n < count; n += 1) await tasks.create({ ...draft, subject: `Task ${n + 1}` });
      return tasks;
    },
  };
}
