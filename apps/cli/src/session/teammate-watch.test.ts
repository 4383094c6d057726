import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionEvent } from "@troupe/runtime";
import { openFileStore } from "@troupe/store/files";
import { expect, onTestFinished, test } from "vitest";
import { createTeammateWatch } from "./teammate-watch.ts";

test("a teammate of which the history says nothing is at work unless it was last seen to rest, and no more once it ended", async () => {
  const root = mkdtempSync(join(tmpdir(), "teammates-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const draft = { name: "t", leadSessionId: "s", leadModel: "m", createdAt: 1, cwd: "/" };
  const team = await openFileStore({ root }).createTeam(draft);
  await team.join({ name: "ann", agentType: "a", model: "m", prompt: "", joinedAt: 1, cwd: "/" });
  const session = { membership: () => ({ team, offer: async () => 0 }) };
  const watch = createTeammateWatch();
  const after = (seen: object) => {
    watch.add({ kind: "teammate", name: "ann", seen } as unknown as SessionEvent);
    return watch.isAnyAtWork(session as unknown as Parameters<typeof watch.isAnyAtWork>[0]);
  };
  expect(await after({ kind: "ready" })).toBe(true);
  expect(await after({ kind: "idle" })).toBe(false);
  expect(await after({ kind: "needs_input" })).toBe(true);
  expect(await after({ kind: "ended", reason: "exit", detail: "" })).toBe(false);
});
