import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { toldTo, usedIn } from "./led-team.ts";
import { isRunning } from "./processes.ts";
import { messagesIn, openProjects } from "./projects.ts";

const { projectWith } = openProjects();

const reader = [[toolUse("Bash", { command: "cat notes.txt" })], "It says hello."];
const touch = (name: string) => toolUse("Bash", { command: `touch ${name}` });

test("what is piped in is the task, or stands behind it", async () => {
  const { run, sent } = await projectWith({ rule: () => "Yes." });
  await run(["-p"], {}, "Is this the task?");
  await run(["-p", "What is this?"], {}, "A diff.\n");
  await run(["-p", "Nothing else."]);
  expect([0, 1, 2].map((nth) => toldTo(sent(nth)).trim())).toEqual([
    expect.stringMatching(/Is this the task\?$/),
    expect.stringMatching(/What is this\?\n\nA diff\.$/),
    expect.stringMatching(/Nothing else\.$/),
  ]);
});

test("an input that stays open, and brings nothing, holds nothing up", async () => {
  const { open } = await projectWith({ replies: ["Four."] });
  expect(await open(["-p", "2 + 2?"]).over).toEqual({ status: 0, stdout: "Four.\n", stderr: "" });
});

test("--output-format json prints one result, and stream-json each message before it, as the schema says", async () => {
  const { cwd, run } = await projectWith({ rule: ({ messages }) => reader[messages.length === 1 ? 0 : 1] });
  writeFileSync(join(cwd, "notes.txt"), "hello\n");
  const one = await run(["-p", "What does it say?", "--output-format", "json"]);
  const [result, ...others] = messagesIn(one.stdout);
  expect([one.status, one.stderr, others]).toEqual([0, "", []]);
  const end = { type: "result", subtype: "success", is_error: false, num_turns: 2, result: "It says hello." };
  expect(result).toMatchObject(end);
  expect(result?.["total_cost_usd"]).toBeGreaterThan(0);
  const all = messagesIn((await run(["-p", "And now?", "--output-format", "stream-json", "--verbose"])).stdout);
  expect(all.map(({ type }) => type)).toEqual(["system", "assistant", "user", "assistant", "result"]);
  expect(all[0]).toMatchObject({ subtype: "init", cwd, tools: expect.arrayContaining(["Bash", "Agent"]) });
  expect(JSON.stringify(all[2])).toContain("hello");
  expect(all.at(-1)).toMatchObject(end);
});

test("a stream says which call started the agent that speaks, and what nobody was there to allow", async () => {
  const { run } = await projectWith({
    rule: (request) => {
      if (/look around/.test(toldTo(request))) return "All is quiet.";
      const look = toolUse(
        "Agent",
        { description: "look", prompt: "look around", subagent_type: "Explore" },
        "toolu_look",
      );
      return usedIn(request).length === 0 ? [look, touch("one")] : "Done.";
    },
  });
  const all = messagesIn((await run(["-p", "go", "--output-format", "stream-json"])).stdout);
  const speakers = all.filter(({ type }) => type === "assistant").map((message) => message["parent_tool_use_id"]);
  expect(new Set(speakers)).toEqual(new Set([null, "toolu_look"]));
  const denial = { tool_name: "Bash", tool_input: { command: "touch one" } };
  expect(all.at(-1)?.["permission_denials"]).toMatchObject([denial]);
});

test("with --input-format stream-json messages come as they are written, in one session, until the input ends", async () => {
  const { open } = await projectWith({ rule: ({ messages }) => `Answer ${Math.ceil(messages.length / 2)}.` });
  const { child, over } = open(["-p", "--input-format", "stream-json", "--output-format", "stream-json"]);
  let shown = "";
  child.stdout.on("data", (text) => {
    shown += text;
  });
  const write = (content: unknown) =>
    child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`);
  write("one");
  await untilSeen("the first result", () => shown.includes('"type":"result"'));
  write([{ type: "text", text: "two" }]);
  await untilSeen("the second result", () => shown.split('"type":"result"').length === 3);
  child.stdin.end();
  const { status, stdout, stderr } = await over;
  expect([status, stderr]).toEqual([0, ""]);
  const results = messagesIn(stdout).filter(({ type }) => type === "result");
  expect(results.map(({ result }) => result)).toEqual(["Answer 1.", "Answer 2."]);
  expect(new Set(results.map((result) => result["session_id"])).size).toBe(1);
});

test.each([
  ["no JSON", "hello", /line 1 of standard input is no JSON/],
  [
    "another message",
    '\n{"type":"control"}',
    /line 2 of standard input is no message of a user: write \{"type":"user"/,
  ],
  ["nothing", "\n", /standard input brought no message: write one a line, \{"type":"user"/],
  ["an empty message", '{"type":"user","message":{"role":"user","content":" "}}', /line 1 .* message.content is empty/],
  ["an image", '{"type":"user","message":{"role":"user","content":[{"type":"image"}]}}', /line 1 .* blocks of text/],
])("a stream with %s ends the command with 2, and says which line it is", async (_, input, words) => {
  const { fake, run } = await projectWith({});
  const { status, stderr } = await run(
    ["-p", "--input-format", "stream-json", "--output-format", "stream-json"],
    {},
    `${input}\n`,
  );
  expect([status, stderr]).toEqual([2, expect.stringMatching(words)]);
  expect(fake.requests).toHaveLength(0);
});

test("a mark of a shell before the first message, and none of a line after the last, change nothing", async () => {
  const { run, sent } = await projectWith({ replies: ["Yes."] });
  const typed = '\uFEFF{"type":"user","message":{"role":"user","content":"Marked."}}\r\n\r\n';
  const stream = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
  expect(await run(stream, {}, typed.trimEnd())).toMatchObject({ status: 0, stderr: "" });
  expect(toldTo(sent(0))).toContain("Marked.");
});

test("a reader that goes away in the middle ends the run, what it started, and with 1: it is not done", async () => {
  const { cwd, open } = await projectWith({
    replies: [
      [toolUse("Bash", { command: "echo $$ > pid.new; mv pid.new pid; until [ -e over ]; do sleep 0.05; done" })],
    ],
  });
  const { child, over } = open(["-p", "x", "--output-format", "stream-json", "--allowed-tools", "Bash"]);
  await untilSeen("the command", () => existsSync(join(cwd, "pid")));
  const pid = readFileSync(join(cwd, "pid"), "utf8").trim();
  child.stdout.destroy();
  writeFileSync(join(cwd, "over"), "");
  expect((await over).status).toBe(1);
  expect(isRunning(pid)).toBe(false);
});

test("a budget ends the run with the answer that spends it, and says so", async () => {
  const { fake, run } = await projectWith({ rule: () => [toolUse("Read", { file_path: "/none" })] });
  const { status, stdout, stderr } = await run([
    ...["-p", "x", "--max-budget-usd", "0.000001", "--output-format", "json"],
    ...["--model", "claude-sonnet-5-5"],
  ]);
  expect([status, stderr]).toEqual([1, "troupe: the task is not done: its budget is spent\n"]);
  expect(messagesIn(stdout)).toMatchObject([{ subtype: "error_max_budget_usd", is_error: true, num_turns: 1 }]);
  expect(fake.requests).toHaveLength(1);
  const enough = await projectWith({ replies: ["Four."] });
  expect(await enough.run(["-p", "x", "--max-budget-usd", "1"])).toMatchObject({ status: 0, stdout: "Four.\n" });
});

test("--max-turns ends the run with its own subtype", async () => {
  const { run } = await projectWith({ rule: () => [toolUse("Read", { file_path: "/none" })] });
  const { status, stdout } = await run(["-p", "x", "--max-turns", "2", "--output-format", "json"]);
  expect(status).toBe(1);
  expect(messagesIn(stdout)).toMatchObject([{ subtype: "error_max_turns", is_error: true, num_turns: 2 }]);
});

test("--verbose tells which tools are used, and keeps the answer as it is", async () => {
  const { cwd, run } = await projectWith({ replies: reader });
  writeFileSync(join(cwd, "notes.txt"), "hello\n");
  expect(await run(["-p", "x", "--verbose"])).toEqual({
    status: 0,
    stdout: "It says hello.\n",
    stderr: 'note: Bash {"command":"cat notes.txt"}\n',
  });
});
