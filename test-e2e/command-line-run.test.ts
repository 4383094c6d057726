import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fault, type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { expectSchema } from "./command-line.ts";
import { isRunning } from "./processes.ts";
import { openProjects } from "./projects.ts";

const { projectWith } = openProjects();

const resultsIn = ({ messages }: MessagesRequest): string => JSON.stringify(messages.at(-1)?.content);

test("troupe -p does a task with real tools, and prints the answer and nothing else", async () => {
  const { cwd, temporary, start, sent } = await projectWith({
    replies: [[toolUse("Bash", { command: "cat notes.txt" })], "It says hello."],
  });
  writeFileSync(join(cwd, "notes.txt"), "hello from the file\n");
  const answer = await start(["-p", "What does notes.txt say?"]).over;
  expect(answer).toEqual({ status: 0, stdout: "It says hello.\n", stderr: "" });
  expect(resultsIn(sent(1))).toContain("hello from the file");
  expect(readdirSync(temporary)).toEqual([]);
});

test("what would need a question is refused and the model is told how it could run; a mode or a rule lets it run", async () => {
  const write = (name: string) => toolUse("Bash", { command: `touch ${name}` });
  const { cwd, run, sent } = await projectWith({
    replies: [[write("one")], "No.", [write("two")], "Done.", [write("three")], "Done.", [write("four")], "No."],
  });
  const made = (name: string) => existsSync(join(cwd, name));
  await run(["run", "make one"]);
  expect([made("one"), resultsIn(sent(1))]).toEqual([false, expect.stringContaining("permissions.allow")]);
  await run(["run", "make two", "--permission-mode", "acceptEdits"]);
  await run(["run", "make three", "--allowed-tools", "Bash(touch:*) Read"]);
  await run(["run", "make four", "--dangerously-skip-permissions", "--disallowed-tools", "Bash(touch:*)"]);
  expect(["two", "three", "four"].map(made)).toEqual([true, true, false]);
});

test("with --json one document says how it ended, where it stands and what it cost, and --resume goes on with it", async () => {
  const { run, sent } = await projectWith({ replies: ["Four.", "I said four."] });
  const { status, stdout, stderr } = await run(["run", "-", "--json", "--model", "haiku"], {}, "2 + 2?\n");
  const document = JSON.parse(stdout);
  expectSchema("run", document);
  expect({ status, stderr, ...document }).toMatchObject({
    status: 0,
    stderr: "",
    isOk: true,
    why: "completed",
    result: "Four.",
    requests: 1,
    cost: expect.any(Number),
  });
  expect(document.cost).toBeGreaterThan(0);
  expect(readFileSync(document.transcript, "utf8")).toContain("2 + 2?");
  expect((await run(["-p", "What did you say?", "--resume", document.sessionId])).stdout).toBe("I said four.\n");
  expect(JSON.stringify(sent(1).messages)).toMatch(/2 \+ 2\?.*Four\..*What did you say\?/);
});

test("agents that it starts in the background are waited for, and their answers are on the bill", async () => {
  const { run } = await projectWith({
    rule: ({ messages }) => {
      const said = JSON.stringify(messages);
      if (said.includes("look around") && !said.includes("Agent")) return "All is quiet.";
      if (said.includes("task-notification")) return "The agent says that all is quiet.";
      if (messages.length === 1)
        return [
          toolUse("Agent", {
            description: "look",
            prompt: "look around",
            subagent_type: "Explore",
            run_in_background: true,
          }),
        ];
      return "It is on its way.";
    },
  });
  const { stdout } = await run(["run", "have a look", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ result: "The agent says that all is quiet.", requests: 4 });
});

test.each<[string, readonly string[], Readonly<Record<string, string>>, number, RegExp]>([
  ["no key", ["-p", "x"], { ANTHROPIC_API_KEY: "" }, 2, /set ANTHROPIC_API_KEY/],
  ["an empty task", ["-p", " "], {}, 2, /the task is empty/],
  ["no task", ["-p"], {}, 2, /the task is empty: write what is to be done, or pipe it in/],
  ["an unknown mode", ["-p", "x", "--permission-mode", "yolo"], {}, 2, /takes default, .*, not "yolo"/],
  [
    "bypassing by its mode",
    ["-p", "x", "--permission-mode", "bypassPermissions"],
    {},
    2,
    /use --dangerously-skip-permissions/,
  ],
  ["no number", ["-p", "x", "--max-turns", "many"], {}, 2, /--max-turns takes a whole number above 0, not "many"/],
])("with %s the command ends before anything is asked, and says what to do", async (_, args, env, status, words) => {
  const { fake, run } = await projectWith({});
  const answer = await run(args, env);
  expect(answer).toEqual({ status, stdout: "", stderr: expect.stringMatching(words) });
  expect(fake.requests).toHaveLength(0);
});

test("a task that does not end well ends with 1 and its reason", async () => {
  const { run } = await projectWith({ replies: [fault.status(401, "authentication_error", "invalid x-api-key")] });
  const { status, stdout, stderr } = await run(["-p", "x"]);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^troupe: the task is not done: the model could not be asked: .*invalid x-api-key/);
  const more = await projectWith({ rule: () => [toolUse("Read", { file_path: "/none" })] });
  const limited = await more.run(["-p", "x", "--max-turns", "2", "--json"]);
  expect([limited.status, JSON.parse(limited.stdout)]).toMatchObject([
    1,
    { isOk: false, why: "max_turns", requests: 2 },
  ]);
});

test.each([
  ["Ctrl-C", "SIGINT", 130],
  ["a request to end", "SIGTERM", 143],
  ["a terminal that is closed", "SIGHUP", 129],
] as const)("%s ends the turn and what it runs, and the session can go on afterwards", async (_, signal, exit) => {
  const { fake, cwd, start, run } = await projectWith({
    replies: [[toolUse("Bash", { command: "echo $$ > pid; touch begun; sleep 600" })]],
  });
  mkdirSync(join(cwd, "empty"));
  const { child, over } = start(["run", "wait", "--json", "--allowed-tools", "Bash"]);
  await untilSeen("the command", () => existsSync(join(cwd, "begun")));
  child.kill(signal);
  const { status, stdout } = await over;
  const { sessionId, why } = JSON.parse(stdout);
  expect([status, why]).toEqual([exit, "aborted"]);
  expect(isRunning(readFileSync(join(cwd, "pid"), "utf8").trim())).toBe(false);
  fake.push("I was cut off.");
  expect((await run(["-p", "and?", "--resume", sessionId])).stdout).toBe("I was cut off.\n");
});
