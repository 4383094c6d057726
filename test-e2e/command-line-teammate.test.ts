import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { inputDigest } from "@troupe/protocol";
import { shutdownRequestBody } from "@troupe/protocol/tools";
import { expect, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { expectSchema, openTroupe } from "./command-line.ts";
import { teammateProcesses } from "./teammate-process.ts";

const troupe = openTroupe();
const { json, refusal, told } = troupe;
const annIn = teammateProcesses(troupe);

const request = { requestId: "shutdown-1@ann", from: "team-lead", timestamp: new Date().toISOString() };
const agreement = { type: "shutdown_response", request_id: request.requestId, approve: true };
const resultsIn = (sent: MessagesRequest) => JSON.stringify(sent.messages.at(-1)).includes("tool_result");
const toldIn = ({ messages }: MessagesRequest): string => JSON.stringify(messages);

test.each(["2026-02", "2026-11"] as const)(
  "[CLIARGS-01] [LIFE-08] [LIFE-09] in %s a teammate's process hears its mail, does the work, says that it is idle, is woken, and ends when it is let go",
  async (revision) => {
    const { lead, sent, leadHears, ended } = await annIn(revision, {
      rule: (request) => {
        const told = toldIn(request);
        if (resultsIn(request)) return "Goodbye.";
        if (told.includes("shutdown_request")) return [toolUse("SendMessage", { to: "team-lead", message: agreement })];
        return told.includes("second") ? "I did the second." : "I did the first.";
      },
    });
    await lead.send("ann", { text: "Do the first.", summary: "first" });
    expect(await leadHears("idle_notification")).toMatchObject({ from: "ann" });
    expect(toldIn(sent(0))).toContain("Do the first.");
    await lead.send("ann", { text: "Do the second.", summary: "second" });
    await untilSeen("the second request", () => sent(1));
    await lead.send("ann", { body: shutdownRequestBody({ reason: "done" }, request) });
    expect(await leadHears("shutdown_approved")).toMatchObject({ from: "ann" });
    const { status, stdout, stderr } = await ended();
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^$|agreed to end/)]);
    const turns = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    for (const turn of turns) expectSchema("teammate", turn);
    expect(turns.map(({ member, isOk }) => [member, isOk])).toContainEqual(["ann", true]);
  },
);

test("what it may not do by itself it asks its lead for, by mail, and goes on with the answer", async () => {
  const { place, lead, leadHears, sent } = await annIn("2026-02", {
    rule: (asked) => (resultsIn(asked) ? "Made." : [toolUse("Bash", { command: "touch made" })]),
  });
  await lead.send("ann", { text: "Make it.", summary: "make it" });
  const { request_id, tool_name, input, tool_use_id } = await leadHears("permission_request");
  expect([tool_name, input.command]).toEqual(["Bash", "touch made"]);
  const state = () => json("team-show", ["team", "show", "crew", "--root", join(place, ".claude")]).members[1];
  expect(state()).toMatchObject({ name: "ann", needsInput: true });
  expect(told("team", "show", "crew", "--root", join(place, ".claude"))).toMatch(/ann .*needs input/);
  const looked = { tool_use_id, tool_name, input_digest: inputDigest(tool_name, input) };
  const response = { updated_input: input, permission_updates: [] };
  const answer = {
    type: "permission_response",
    request_id,
    subtype: "success",
    approved_request: looked,
    response,
  } as const;
  await lead.send("ann", { body: answer });
  await untilSeen("what it made", () => existsSync(join(place, "made")));
  await leadHears("idle_notification");
  expect(state()).toMatchObject({ name: "ann", needsInput: false });
  expect(JSON.stringify(sent(1).messages.at(-1))).not.toContain("is_error");
});

test("[CLIARGS-08] who it is stands in its arguments: one that is missing or another's ends it with the flag's name, and nothing is read from the environment", async () => {
  const told = (args: readonly string[], env = {}) => refusal(2, args, { env: { ANTHROPIC_API_KEY: "x", ...env } });
  const args = ["--agent-id", "ann@crew", "--agent-name", "ann", "--team-name", "crew"];
  const variables = {
    CLAUDE_CODE_AGENT_COLOR: "blue",
    CLAUDE_CODE_PARENT_SESSION_ID: "s",
    CLAUDE_CODE_AGENT_TYPE: "worker",
  };
  expect(told(["teammate", ...args], variables)).toMatch(/^--agent-color is missing; add --agent-color/);
  const whole = [
    ...args,
    "--agent-color",
    "blue",
    "--parent-session-id",
    "s",
    "--agent-type",
    "worker",
    "--model",
    "haiku",
  ];
  expect(told(["teammate", ...whole, "--agent-id", "bob@crew"])).toMatch(
    /--agent-id bob@crew is not that of ann in crew/,
  );
  expect(told(["teammate", ...whole, "--frobnicate"])).toMatch(/--frobnicate/);
  expect(told(["teammate"])).toMatch(/needs --agent-id and the flags that go with it/);
  expect(refusal(3, ["teammate", ...whole], { env: { ANTHROPIC_API_KEY: "x" } })).toMatch(/there is no team crew/);
});

test("a teammate of a team whose form is between the revisions ends at once with the reason, and changes no file of it", () => {
  told("team", "create", "crew");
  told("team", "join", "crew", "ann");
  const inboxes = join(troupe.root, "teams/crew/inboxes");
  mkdirSync(inboxes, { recursive: true });
  const entry = { from: "bob", text: "t", timestamp: "2026-02-13T10:45:20Z", type: "message", read: true };
  writeFileSync(join(inboxes, "team-lead.json"), JSON.stringify([entry]));
  const args = ["--agent-id", "ann@crew", "--agent-name", "ann", "--team-name", "crew", "--agent-color", "blue"];
  const more = ["--parent-session-id", "s", "--agent-type", "worker", "--model", "haiku"];
  expect(refusal(1, ["teammate", ...args, ...more], { env: { ANTHROPIC_API_KEY: "x" } })).toMatch(
    /between the revisions .* only read/,
  );
  expect(readdirSync(inboxes)).toEqual(["team-lead.json"]);
});

test("[CLIARGS-03] help names none of the flags that only a lead uses but in its text and example", () => {
  for (const args of [["--help"], ["run", "--help"]])
    expect(told(...args)).not.toMatch(/--agent-(id|name|color)|--team-name/);
});
