import { expect, test } from "vitest";
import { z } from "zod";
import { SubagentMeta } from "./subagent-meta.ts";

const teammate = {
  agentType: "alice",
  isBuiltIn: false,
  description: "alice work",
  name: "alice",
  spawnDepth: 0,
  requestShape: "background",
  requestNonInteractive: true,
  model: "claude-opus-4-6",
  pickedEffortModel: "claude-opus-4-6",
  taskKind: "in_process_teammate",
  teamName: "session-5833f1a8",
  color: "blue",
  planModeRequired: false,
  spawnedAgentType: "general-purpose",
  permissionMode: "bypassPermissions",
};

test.each([
  ["2.1.118", { agentType: "alice" }],
  ["2.1.326", teammate],
  ["tomorrow", { ...teammate, finished: { at: 1 }, more: [] }],
])("the metadata that client %s writes beside a transcript is read whole", (_, meta) => {
  expect(SubagentMeta.parse(meta)).toEqual(meta);
});

test.each([[{}], [{ agentType: 1 }], [{ agentType: "alice", isFork: "no" }]])("%j is no metadata", (meta) => {
  expect(SubagentMeta.safeParse(meta).success).toBe(false);
});

test("the example is valid", () => {
  const { examples } = z.toJSONSchema(SubagentMeta, { io: "input" });
  expect(z.tuple([SubagentMeta]).safeParse(examples).success).toBe(true);
});
