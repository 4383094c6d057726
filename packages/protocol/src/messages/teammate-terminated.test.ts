import { expect, test } from "vitest";
import { messageKinds } from "./body.ts";
import { teammateTerminated } from "./teammate-terminated.ts";

test("[INBOX-21] the end of a teammate is told in the words of each revision, in no inbox", () => {
  const termination = { runId: "t1", name: "alice", unassigned: [] };
  expect(teammateTerminated["2026-02"](termination)).toBe("Task t1 (type: in_process_teammate) (status: completed)");
  expect(teammateTerminated["2026-11"](termination)).toBe(
    '{"type":"teammate_terminated","message":"alice has shut down."}',
  );
  const lost = [
    { id: "1", subject: "One" },
    { id: "2", subject: "Two" },
  ];
  expect(JSON.parse(teammateTerminated["2026-11"]({ ...termination, unassigned: lost.slice(1) })).message).toBe(
    'alice has shut down. 1 task(s) were unassigned: #2 "Two".',
  );
  expect(JSON.parse(teammateTerminated["2026-11"]({ ...termination, unassigned: lost })).message).toBe(
    'alice has shut down. 2 task(s) were unassigned: #1 "One", #2 "Two".',
  );
  expect(messageKinds.map(({ type }) => type)).not.toContain("teammate_terminated");
});
