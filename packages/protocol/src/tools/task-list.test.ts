import { expect, test } from "vitest";
import { taskListText } from "./task-list.ts";

test("a task is one line: id, state, subject, owner, what it waits for", () => {
  expect(
    taskListText({
      tasks: [
        { id: "1", subject: "Task one", status: "completed", owner: "alice", blockedBy: [] },
        { id: "2", subject: "Task two", status: "pending", blockedBy: ["1"] },
        { id: "3", subject: "Task three", status: "in_progress", owner: "bob", blockedBy: ["1", "2"] },
      ],
    }),
  ).toBe(
    "#1 [completed] Task one (alice)\n#2 [pending] Task two [blocked by #1]\n#3 [in_progress] Task three (bob) [blocked by #1, #2]",
  );
});

test("an empty list says so", () => {
  expect(taskListText({ tasks: [] })).toBe("No tasks");
});

test("a subject or an owner with a line break in it does not look like two tasks", () => {
  const subject = "one\n#2 [completed] two\u2028three";
  const text = taskListText({ tasks: [{ id: "1", subject, status: "pending", owner: "a\r\nb", blockedBy: [] }] });
  expect(text).toBe("#1 [pending] one #2 [completed] two three (a b)");
});
