import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { openLeads, toldTo, usedIn } from "../led-team.ts";
import { describeWith } from "../require.ts";

const { home, root, stage, noServer, expectNothingLeft } = openLeads();
const team = "analysis-team";
const names = ["researcher-config", "researcher-tasks", "researcher-comms"] as const;

const parsed = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const task = (id: number) => parsed(join(root, "tasks", team, `${id}.json`));
const send = (to: string, message: object | string) => toolUse("SendMessage", { to, summary: "a word", message });
const update = (taskId: string, change: object) => toolUse("TaskUpdate", { taskId, ...change });
const times = (text: string, words: string) => text.split(words).length - 1;

/** The lead of the seed: three researchers; of four tasks the last waits for the others. */
function lead(request: MessagesRequest) {
  const used = usedIn(request);
  const told = toldTo(request);
  const asked = JSON.stringify(request.messages.filter(({ role }) => role === "assistant"));
  if (!used.includes("TeamCreate")) return [toolUse("TeamCreate", { team_name: team })];
  if (!used.includes("TaskCreate"))
    return ["config", "tasks", "comms", "report"].map((subject) =>
      toolUse("TaskCreate", { subject, description: "all of it" }),
    );
  if (!asked.includes("addBlockedBy")) return [update("4", { addBlockedBy: ["1", "2", "3"] })];
  if (!used.includes("Agent"))
    return names.map((name) =>
      toolUse("Agent", { name, description: "d", prompt: "Wait.", subagent_type: "general-purpose" }),
    );
  if (!asked.includes('"owner"'))
    return names.map((owner, at) => update(`${at + 1}`, { owner, status: "in_progress" }));
  if (names.some((name) => !told.includes(`${name} reports`))) return "I wait.";
  if (!asked.includes('"taskId":"4","status":"in_progress"')) return [update("4", { status: "in_progress" })];
  if (!asked.includes('"taskId":"4","status":"completed"')) return [update("4", { status: "completed" })];
  if (!asked.includes("shutdown_request"))
    return names.map((name) => send(name, { type: "shutdown_request", reason: "the report is written" }));
  if (times(told, '"type":"shutdown_approved"') < names.length) return "I wait.";
  return used.includes("TeamDelete") ? "The report." : [toolUse("TeamDelete", {})];
}

/** Rests until its task is given to it, does it, reports, and agrees to end. */
function researcher(request: MessagesRequest, name: (typeof names)[number]) {
  const told = toldTo(request);
  const used = usedIn(request);
  const [, request_id] = /request_?[iI]d[^a-z]*(shutdown-\d+@[\w-]+)/.exec(told) ?? [];
  if (request_id !== undefined && used.filter((one) => one === "SendMessage").length === 1)
    return [send("team-lead", { type: "shutdown_response", request_id, approve: true })];
  if (!told.includes("task_assignment") || used.includes("TaskUpdate")) return "I rest.";
  const taskId = `${names.indexOf(name) + 1}`;
  return [update(taskId, { status: "completed" }), send("team-lead", `${name} reports`)];
}

async function play(where: string) {
  const seen: { readonly config: { readonly members: readonly object[] }; readonly tasks: readonly object[] }[] = [];
  const { lead: begin } = await stage(
    (request) => {
      const [, name] = /You are (researcher-\w+) in the team/.exec(JSON.stringify(request.system)) ?? [];
      const mate = names.find((one) => one === name);
      if (mate) return researcher(request, mate);
      if (existsSync(join(root, "tasks", team, "4.json")))
        seen.push({ config: parsed(join(root, "teams", team, "config.json")), tasks: [1, 2, 3, 4].map(task) });
      return lead(request);
    },
    { TMUX_TMPDIR: home },
  );
  const { status, stdout } = await begin(where).over();
  expect({ status, stdout }).toEqual({ status: 0, stdout: "The report.\n" });
  expect([existsSync(join(root, "teams", team)), existsSync(join(root, "tasks", team))]).toEqual([false, false]);
  expectNothingLeft();
  return seen;
}

async function expectTimeline(where: string, place: object) {
  const seen = await play(where);
  const tied = seen.find(({ tasks }) => JSON.stringify(tasks[3]).includes('"blockedBy":["1","2","3"]'));
  expect(tied?.tasks.slice(0, 3)).toMatchObject([{ blocks: ["4"] }, { blocks: ["4"] }, { blocks: ["4"] }]);
  expect(tied?.config.members).toMatchObject([{ name: "team-lead", agentType: "team-lead", tmuxPaneId: "" }]);
  const whole = seen.find(({ config }) => config.members.length === 4);
  const colors = ["blue", "green", "yellow"];
  expect(whole?.config.members.slice(1)).toMatchObject(
    names.map((name, at) => ({ name, agentType: "general-purpose", color: colors[at], ...place })),
  );
  const given = seen.find(({ tasks }) => JSON.stringify(tasks[0]).includes('"owner"'));
  expect(given?.tasks).toMatchObject(names.map((owner) => ({ owner })).concat([expect.anything()]));
  expect(seen.at(-1)?.tasks ?? []).toMatchObject([1, 2, 3, 4].map(() => ({ status: "completed" })));
}

test.each([
  ["in-process", { tmuxPaneId: "in-process" }],
  ["process", { tmuxPaneId: "" }],
])("[LIFE-12] the timeline of the seed's own team runs from its making to its report (%s)", expectTimeline);

describeWith("tmux", "in panes", () => {
  test("[LIFE-12] the timeline of the seed's own team runs from its making to its report, each researcher in its pane", async () => {
    await expectTimeline("tmux", { tmuxPaneId: expect.stringMatching(/^%\d+$/), backendType: "tmux" });
    await noServer();
  });
});
