import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commands, hooked, never } from "../../test/hooked.ts";
import { callOf } from "../../test/permitted.ts";
import { workbench } from "../../test/workbench.ts";
import { ruleMatcher } from "./matches-rule.ts";

function matcher(shown: string[] = []) {
  const { cwd, tools } = workbench();
  const own = callOf("mcp__db__query", {}).tool;
  const matches = ruleMatcher({ home: "/home/dev", tools: [...tools, own], show: (text) => shown.push(text) });
  const event = { session_id: "s", transcript_path: "/t.jsonl", cwd, hook_event_name: "PreToolUse" };
  return {
    cwd,
    event,
    isMatch: (rule: string, tool_name: string, tool_input: object) =>
      matches(rule, { ...event, tool_name, tool_input }),
    matches,
  };
}

describe("a command matches", () => {
  test.each([
    ["Bash(git *)", "git push", "as it is written"],
    ["Bash(git *)", "git", "without arguments"],
    ["Bash(git:*)", "git push", "in the old spelling"],
    ["Bash(git push)", "git push", "word by word"],
    ["Bash", "anything at all", "whatever it is"],
    ["Bash(*)", "anything at all", "whatever it is"],
    ["*", "ls", "whatever tool it is"],
    ["Bash(git *)", "cd src && git push", "in a later part"],
    ["Bash(git *)", "ls | git apply", "behind a pipe"],
    ["Bash(git *)", "echo $(git log)", "inside a word"],
    ["Bash(git *)", "A=1 git push", "behind a variable"],
    ["Bash(git *)", "bash -c 'git push'", "inside another shell"],
    ["Bash(git push:*)", "git -C /p push", "behind options"],
    ["Bash(git *)", "/usr/bin/git push", "by its path"],
    ["Bash(git *)", "$X push", "when it may be hidden in a variable"],
    ["Bash(git *)", "echo 'never closed", "when it cannot be read"],
  ])("%s: %s, %s", (rule, command) => {
    expect(matcher().isMatch(rule, "Bash", { command })).toBe(true);
  });
});

describe("a command does not match", () => {
  test.each([
    ["Bash(git *)", "ls -l", "when it is another"],
    ["Bash(git *)", "gitk", "when it only begins so"],
    ["Bash(git *)", "echo 'git push'", "when it only speaks of it"],
    ["Bash(git push:*)", "git pull", "when its words are others"],
    ["Bash(git push)", "git push --force", "when it has more words than the rule"],
    ["Read(.env)", "cat .env", "a rule about another tool"],
    ["Edit", "sed -i s/a/b/ x", "another tool"],
  ])("%s: %s, %s", (rule, command) => {
    expect(matcher().isMatch(rule, "Bash", { command })).toBe(false);
  });
});

describe("a path", () => {
  test.each([
    ["Edit(*.ts)", "Edit", "src/a.ts", true],
    ["Edit(*.ts)", "Edit", "src/a.js", false],
    ["Edit(*.ts)", "Write", "src/a.ts", true],
    ["Edit(*.ts)", "Read", "src/a.ts", false],
    ["Edit(src/**)", "Edit", "src/deep/a.ts", true],
    ["Edit(./src/**)", "Edit", "test/src/a.ts", false],
    ["Edit(/src/**)", "Edit", "src/../src/a.ts", true],
    ["Edit(src/**)", "Edit", "src/../lib/a.ts", false],
    ["Read(~/.ssh/**)", "Read", "/home/dev/.ssh/id", true],
    ["Read(//etc/**)", "Read", "/etc/passwd", true],
    ["Read(//etc/**)", "Read", "/var/passwd", false],
    ["Read(secret.txt)", "Read", "link", true],
  ])("matches %s with %s of %s: %s", (rule, tool, path, expected) => {
    const { cwd, isMatch } = matcher();
    writeFileSync(join(cwd, "secret.txt"), "");
    symlinkSync("secret.txt", join(cwd, "link"));
    const inputs = { Edit: { old_string: "a", new_string: "b" }, Write: { content: "" }, Read: {} };
    expect(isMatch(rule, tool, { file_path: path, ...inputs[tool as "Edit"] })).toBe(expected);
  });
  test("a path is meant from where the event happens", () => {
    const { matches, event } = matcher();
    const tool_input = { file_path: "/trees/one/src/a.ts" };
    const call = { ...event, tool_name: "Read", tool_input };
    expect(matches("Read(/src/**)", { ...call, cwd: "/trees/one" })).toBe(true);
    expect(matches("Read(/src/**)", { ...call, cwd: "/trees/two" })).toBe(false);
  });
});

test.each([
  ["WebFetch(domain:example.com)", "WebFetch", { url: "https://EXAMPLE.com/a", prompt: "p" }, true],
  ["WebFetch(domain:example.com)", "WebFetch", { url: "https://example.org/a", prompt: "p" }, false],
  ["Agent(Explore)", "Agent", { subagent_type: "Explore" }, true],
  ["Task(Explore)", "Agent", { subagent_type: "Plan" }, false],
  ["Skill(review:*)", "Skill", { skill: "review" }, true],
  ["Skill(review:*)", "Skill", { skill: "release" }, false],
  ["mcp__db", "mcp__db__query", { sql: "x" }, true],
  ["mcp__db__*", "mcp__db__query", {}, true],
  ["mcp__db__drop", "mcp__db__query", {}, false],
  ["Later", "Later", {}, true],
  ["Edit(*.ts)", "Edit", { file_path: 7 }, false],
  ["Edit(*.ts)", "Edit", {}, false],
])("%s and a call of %s with %j: %s", (rule, tool, input, expected) => {
  expect(matcher().isMatch(rule, tool, input)).toBe(expected);
});

test("an event that is about no call matches nothing", () => {
  const { matches, event } = matcher();
  expect(matches("*", { ...event, hook_event_name: "Stop" })).toBe(false);
});

test.each(["Bash(git", "Bash (git:*)", "", "Read|Write"])(
  "a rule that cannot be read matches nothing, and that is said once: %j",
  (rule) => {
    const shown: string[] = [];
    const { isMatch, matches, event } = matcher(shown);
    expect(isMatch(rule, "Bash", { command: "git push" })).toBe(false);
    expect(isMatch(rule, "Read", { file_path: "a" })).toBe(false);
    expect(matches(rule, { ...event, cwd: "/elsewhere", tool_name: "Bash", tool_input: { command: "git" } })).toBe(
      false,
    );
    expect(shown).toEqual([expect.stringContaining(`The rule ${JSON.stringify(rule)} of a hook cannot be read`)]);
  },
);

test("a hook with a rule runs for the calls that match it alone", async () => {
  const { tools } = workbench();
  const shown: string[] = [];
  const matchesRule = ruleMatcher({ home: "/home/dev", tools, show: (text) => shown.push(text) });
  const [group] = commands("echo no pushing >&2; exit 2");
  const ruled = { hooks: (group?.hooks ?? []).map((hook) => ({ ...hook, if: "Bash(git push:*)" })) };
  const hooks = hooked({ PreToolUse: [ruled] }, { matchesRule });
  const fire = (command: string) =>
    hooks.fire("PreToolUse", { tool_name: "Bash", tool_input: { command }, tool_use_id: "t" }, never);
  expect((await fire("ls; git push")).permission).toEqual({ decision: "deny", reason: "no pushing" });
  expect((await fire("git pull")).permission).toBeUndefined();
});
