import { expect, test } from "vitest";
import { tasksOf } from "./participant-tasks.ts";
import type { Tasks } from "./store.ts";

const task = { id: "1", subject: "Read the parser", description: "", status: "pending" } as const;
const away = () => Promise.reject(new Error("the database is away"));

test("a change that was made is no failure where its record cannot be: the caller would make it again", async () => {
  const made: Partial<Tasks> = {
    release: async () => true,
    get: away,
    complete: async () => task,
    claim: async () => ({ outcome: "claimed", task }),
    remove: async () => true,
  };
  const tasks = tasksOf("ann", made as Tasks, away);
  expect(await tasks.release("1", "ann")).toBe(true);
  expect(await tasks.complete("1")).toBe(task);
  expect(await tasks.claim("1", "ann")).toEqual({ outcome: "claimed", task });
  expect(await tasks.remove("1")).toBe(true);
});
