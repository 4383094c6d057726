import { expect, test } from "vitest";
import { AgentResult, agentResultText } from "./agent-result.ts";

const completed = {
  status: "completed",
  agentId: "a4b20af7c1d93e652",
  content: [
    { type: "text", text: "No correctness risks found." },
    { type: "text", text: "Two tests are missing." },
  ],
  totalToolUseCount: 7,
  totalDurationMs: 41250,
  totalTokens: 18234,
};
const launched = {
  status: "async_launched",
  agentId: "a4b20af7c1d93e652",
  description: "run regression suite",
  prompt: "Run the regression tests and summarize failures.",
  outputFile: "/tmp/claude-0/-srv-app/tasks/a4b20af7c1d93e652.output",
  canReadOutputFile: true,
};
const spawned = {
  status: "teammate_spawned",
  teammate_id: "alice@my-project",
  name: "alice",
  team_name: "my-project",
};
const remote = {
  status: "remote_launched",
  taskId: "r77",
  sessionUrl: "https://example.org/session/77",
  description: "port the build",
  outputFile: "/tmp/claude-0/-srv-app/tasks/r77.output",
};
const accepts = (result: unknown): boolean => AgentResult.safeParse(result).success;
const without = (result: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(result).filter(([key]) => key !== field));
const text = (result: unknown, isOneShot = false, revision: "2026-02" | "2026-11" = "2026-02"): string =>
  agentResultText(AgentResult.parse(result), { revision, isOneShot });

test.each([
  ["RES-01", completed, ["content", "agentId", "totalTokens", "totalToolUseCount", "totalDurationMs"]],
  ["async_launched", launched, ["agentId", "description", "prompt", "outputFile"]],
  ["RES-03", spawned, ["teammate_id", "name", "team_name"]],
  ["RES-04", remote, ["taskId", "sessionUrl", "outputFile", "description"]],
])("[%s] the result is taken whole, and refused without any of its fields", (_row, result, required) => {
  expect(AgentResult.parse(result)).toEqual(result);
  for (const field of required) expect(accepts(without(result, field))).toBe(false);
});

test("[RES-01] a worktree that was kept is named, and may be absent", () => {
  const kept = {
    ...completed,
    worktreePath: "/srv/app/.claude/worktrees/agent-a4b20af",
    worktreeBranch: "worktree-agent-a4b20af",
  };
  expect(AgentResult.parse(kept)).toEqual(kept);
  expect(text(kept)).toContain(
    "worktreePath: /srv/app/.claude/worktrees/agent-a4b20af\nworktreeBranch: worktree-agent-a4b20af",
  );
  expect(text(completed)).not.toContain("worktree");
});

test("canReadOutputFile is true or false", () => {
  expect(accepts({ ...launched, canReadOutputFile: false })).toBe(true);
  expect(accepts({ ...launched, canReadOutputFile: "no" })).toBe(false);
});

test("[RES-06, ATP-SUB-004] the status tells the four results apart", () => {
  for (const result of [completed, launched, spawned, remote]) {
    expect(AgentResult.parse(result).status).toBe(result.status);
  }
  expect(accepts({ ...launched, status: "completed" })).toBe(false);
  expect(accepts({ ...completed, status: "finished" })).toBe(false);
  expect(accepts(without(completed, "status"))).toBe(false);
});

test("fields of the SDK that the seeds do not name pass", () => {
  const rich = {
    ...completed,
    agentType: "Explore",
    usage: { input_tokens: 12 },
    resolvedModel: "claude-opus-4-6",
    modelsUsed: ["claude-opus-4-6"],
    toolStats: { Read: 3 },
    prompt: "Review",
    tomorrow: 1,
  };
  expect(AgentResult.parse(rich)).toEqual(rich);
});

test("[RES-05] the data of a result become one text: the report, then how to go on and what it took", () => {
  expect(text(completed)).toBe(
    [
      "No correctness risks found.",
      "Two tests are missing.",
      'agentId: a4b20af7c1d93e652 (to continue, use SendMessage to "a4b20af7c1d93e652")',
      "<usage>subagent_tokens: 18234",
      "tool_uses: 7",
      "duration_ms: 41250</usage>",
    ].join("\n"),
  );
});

test("[RES-07] the text of an agent that can be continued names SendMessage", () => {
  expect(text(completed)).toMatch(/SendMessage to "a4b20af7c1d93e652"/);
});

test("[RES-08] the text of a one-shot agent is its report alone", () => {
  expect(text(completed, true)).toBe("No correctness risks found.\nTwo tests are missing.");
});

test("an agent without a report says so", () => {
  const silent = { ...completed, content: [{ type: "image" }] };
  expect(text(silent, true)).toBe("(The agent ended without a report.)");
});

test("[RES-10] the text of a background launch says to wait for the notification or to read the file", () => {
  expect(text(launched)).toMatch(/agentId: a4b20af7c1d93e652\noutput_file: \/tmp\/.*\.output/);
  expect(text(launched)).toMatch(/notification: wait for it, or read the output file/);
  expect(text({ ...launched, canReadOutputFile: false })).not.toMatch(/read the output file/);
});

test("[RES-10] the text of a spawn says that the teammate joined and how to reach it", () => {
  const seed = text(spawned);
  expect(seed).toMatch(/^agent_id: alice@my-project\nname: alice\nteam_name: my-project\n/);
  expect(seed).toMatch(/joined the team.*mailbox.*SendMessage to "alice"/);
});

test("in 2026-11 the text of a spawn gives the agent's id and its name, and no team", () => {
  const id = "aalice-0123456789abcdef";
  expect(text({ ...spawned, teammate_id: id }, false, "2026-11")).toMatch(
    /^agent_id: aalice-0123456789abcdef\nname: alice\nThe teammate/,
  );
});

test("[RES-10] the text of a remote launch says to wait for the remote task's notification", () => {
  expect(text(remote)).toMatch(/taskId: r77\nsession_url: https:\/\/example\.org\/session\/77/);
  expect(text(remote)).toMatch(/notification of the remote task: wait for it/);
});
