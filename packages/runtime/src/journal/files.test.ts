import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { SubagentMeta } from "@troupe/protocol";
import { expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { scratch } from "../../test/scratch.ts";
import { openConversation } from "../agent/conversation.ts";
import { scriptedModel } from "../model/scripted.ts";
import { transcriptPath, writeSubagentMeta } from "./files.ts";

const session = { cwd: "/home/dev/my project", sessionId: "b7f5edcc-898c-4e36-983f-1c2e8fec7d28" };
const agentId = "a4b20af6e91c3d7f0";

test("[STORE-02] a session's transcript lies below its project, and a line of it says whose it is", async () => {
  const root = scratch();
  const transcript = transcriptPath({ root, ...session });
  expect(transcript).toBe(join(root, "projects/-home-dev-my-project", `${session.sessionId}.jsonl`));
  const agent = openConversation({
    transcript,
    model: scriptedModel([[words("hello")]]),
    key: { model: "m", betas: [] },
    system: () => [],
    identity: { cwd: session.cwd },
  });
  agent.tell("hi");
  for await (const _ of agent.run());
  const lines = readFileSync(transcript, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const line of lines) expect(line.sessionId).toBe(session.sessionId);
  expect(lines.filter(({ type }) => type === "user")).toMatchObject([{ cwd: session.cwd, isSidechain: false }]);
});

test("[UI-04] a subagent's transcript lies below its session, with what it is beside it", () => {
  const root = scratch();
  const owner = { root, ...session, agentId };
  const directory = join(root, "projects/-home-dev-my-project", session.sessionId, "subagents");
  expect(transcriptPath(owner)).toBe(join(directory, `agent-${agentId}.jsonl`));
  const meta = { agentType: "code-reviewer", description: "review parser", spawnDepth: 1 };
  writeSubagentMeta(owner, { ...meta, finished: false });
  writeSubagentMeta(owner, { ...meta, finished: true });
  expect(readdirSync(directory)).toEqual([`agent-${agentId}.meta.json`]);
  const path = join(directory, `agent-${agentId}.meta.json`);
  expect(SubagentMeta.parse(JSON.parse(readFileSync(path, "utf8")))).toEqual({ ...meta, finished: true });
  expect(statSync(path).mode & 0o777).toBe(0o644);
});
