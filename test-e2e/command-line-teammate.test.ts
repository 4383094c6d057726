import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FakeAnthropicOptions, type MessagesRequest, startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { buildTeammateArgs, inputDigest, layoutOf, type Revision, type TeammateArgs } from "@troupe/protocol";
import { shutdownRequestBody } from "@troupe/protocol/tools";
import { openFileStore } from "@troupe/store/files";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { ended, expectSchema, openTroupe } from "./command-line.ts";

const { home, begin, json, refusal, told } = openTroupe();

/** A team on disk whose lead is the test, and ann of it as a process. */
async function annIn(revision: Revision, options: FakeAnthropicOptions, more: Partial<TeammateArgs> = {}) {
  const place = mkdtempSync(join(home, "team-"));
  const root = join(place, ".claude");
  const fake = await startFakeAnthropic(options);
  onTestFinished(() => fake.close());
  const at = { cwd: place, createdAt: Date.now() };
  const store = openFileStore({ root });
  const team = await store.createTeam({ name: "crew", leadSessionId: "s", leadModel: "m", revision, ...at });
  await team.join({
    name: "ann",
    agentType: "general-purpose",
    model: "haiku",
    prompt: "p",
    joinedAt: at.createdAt,
    cwd: place,
  });
  const lead = await team.as("team-lead");
  const args = buildTeammateArgs(revision, {
    agentName: "ann",
    teamName: "crew",
    agentColor: "blue",
    parentSessionId: "s",
    agentType: "general-purpose",
    model: "haiku",
    planModeRequired: false,
    rest: [],
    ...more,
  });
  const environment = { ANTHROPIC_API_KEY: "of-no-use", ANTHROPIC_BASE_URL: fake.url, TMPDIR: place };
  const child = begin(
    [...(revision === "2026-11" ? ["teammate"] : []), ...args, "--root", root, "--json"],
    environment,
    place,
  );
  const over = ended(child);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await over;
  });
  return {
    place,
    team,
    lead,
    fake,
    child,
    /** The bodies in the lead's inbox once there is one of this type, or with these words. */
    leadHears: (what: string) =>
      untilSeen(`${what} in the lead's inbox`, () => {
        const entries: { text: string }[] = JSON.parse(textAt(layoutOf(root).team("crew").inbox("team-lead")) || "[]");
        const bodies = entries.map(({ text }) => (text.startsWith("{") ? JSON.parse(text) : { text }));
        return bodies.findLast(({ type, text }) => type === what || text === what);
      }),
    sent: (nth: number) => fake.requests[nth]?.json as MessagesRequest,
    ended: () => awaited("the end of ann", over),
  };
}

const textAt = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};
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

test("[CLIARGS-03] help names none of the flags that only a lead uses but in its text and example", () => {
  for (const args of [["--help"], ["run", "--help"]])
    expect(told(...args)).not.toMatch(/--agent-(id|name|color)|--team-name/);
});
