import { type Reply, toolUse } from "@troupe/fake-anthropic";
import type { Conversation } from "./conversation.ts";

const bash = (command: string, description: string) => [toolUse("Bash", { command, description })];
const write = (cwd: string, name: string, content: string) => [
  toolUse("Write", { file_path: `${cwd}/${name}`, content }),
];
const begin = (taskId: string, owner: string) => [toolUse("TaskUpdate", { taskId, status: "in_progress", owner })];
const complete = (taskId: string) => [toolUse("TaskUpdate", { taskId, status: "completed" })];
const passed = (result: string): boolean => /\bfail 0\b/.test(result);

/** The agreement to end, once the lead asks for it. */
function farewell({ told, made }: Conversation): Reply | undefined {
  const [id] = /shutdown-\d+@\w+/.exec(told) ?? [];
  if (id === undefined) return undefined;
  const message = { type: "shutdown_response", request_id: id, approve: true };
  return made("SendMessage", id) ? "Goodbye." : [toolUse("SendMessage", { to: "team-lead", message })];
}

/** Fixes the function of which a test fails. */
export function ann(talk: Conversation): Reply {
  const { cwd, made } = talk;
  const file_path = `${cwd}/words.mjs`;
  const tested = made("Bash", "node --test");
  const ended = farewell(talk);
  if (ended) return ended;
  if (!made("TaskUpdate")) return begin("1", "ann");
  if (!made("Read")) return [toolUse("Read", { file_path }), toolUse("Read", { file_path: `${cwd}/words.test.mjs` })];
  const [old_string, new_string] = ['text.split(" ").length', "text.split(/\\s+/).filter(Boolean).length"];
  if (!made("Edit")) return [toolUse("Edit", { file_path, old_string, new_string })];
  if (!tested) return bash("node --test words.test.mjs", "test the fix");
  if (!passed(tested.result)) return "I could not make words.test.mjs pass.";
  if (!made("Bash", "git commit")) return bash('git add words.mjs && git commit -m "Blanks are no words"', "commit");
  if (!made("TaskUpdate", "completed")) return complete("1");
  return "Blanks are no words any more, and words.test.mjs passes.";
}

const longest = `/** The longest word of a text, the first of them. */
export const longest = (text) =>
  text.split(/\\s+/).reduce((one, other) => (other.length > one.length ? other : one), "");
`;

const longestTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { longest } from "./longest.mjs";

test("the longest word is found, and none in nothing", () => {
  assert.equal(longest("a team of agents"), "agents");
  assert.equal(longest(""), "");
});
`;

/** Adds a function and its test in a worktree; looks first at what is there of it. */
export function bob(talk: Conversation): Reply {
  const { cwd, made } = talk;
  const ended = farewell(talk);
  if (ended) return ended;
  if (!made("TaskUpdate")) return begin("2", "bob");
  const found = made("Bash", "git status");
  if (!found) return bash("git status --short", "what is there already");
  const has = (name: string) => found.result.includes(name) || made("Write", `/${name}`);
  if (!has("longest.mjs")) return write(cwd, "longest.mjs", longest);
  if (!has("longest.test.mjs")) return write(cwd, "longest.test.mjs", longestTest);
  const tested = made("Bash", "node --test");
  if (!tested) return bash("node --test longest.test.mjs", "test it");
  if (!passed(tested.result)) return "longest.test.mjs fails.";
  if (!made("Bash", "git commit"))
    return bash('git add longest.mjs longest.test.mjs && git commit -m "Add longest"', "commit");
  if (!made("TaskUpdate", "completed")) return complete("2");
  return "longest() is there with its test, on the branch worktree-agent-bob.";
}

const readme = `# words

\`words(text)\` counts the words of a text, \`longest(text)\` finds the longest. \`node example.mjs\` shows both.
`;

const example = `import { longest } from "./longest.mjs";
import { words } from "./words.mjs";

const text = "a team of agents";
console.log(words(text), longest(text));
`;

/** Plans first; writes when the lead agrees and what it needs is there. */
export function cleo(talk: Conversation): Reply {
  const { cwd, told, made, calls } = talk;
  const ended = farewell(talk);
  if (ended) return ended;
  if (!told.includes("[Plan Approved]")) return planning(talk);
  if (!told.includes("go on with #3")) return "I wait for #1 and #2.";
  if (!made("TaskUpdate")) return begin("3", "cleo");
  if (!made("Write", "/README.md")) return write(cwd, "README.md", readme);
  if (!made("Write", "/example.mjs")) return write(cwd, "example.mjs", example);
  const ran = calls.findLast(({ name, input }) => name === "Bash" && input["command"] === "node example.mjs");
  if (!ran) return bash("node example.mjs", "run the example");
  if (!/^4 agents$/m.test(ran.result)) return "The example does not print what it should.";
  if (!made("Bash", "git commit"))
    return bash('git add README.md example.mjs && git commit -m "Say what there is"', "commit");
  if (!made("TaskUpdate", "completed")) return complete("3");
  return "README.md is there, and its example runs.";
}

function planning({ told, calls, made }: Conversation): Reply {
  const asked = calls.filter(({ name }) => name === "ExitPlanMode");
  const [, path] = /Write it to (\S+\.md), then/.exec(asked[0]?.result ?? "") ?? [];
  if (path === undefined) return [toolUse("ExitPlanMode", {})];
  const rejections = told.split("[Plan Rejected]").length - 1;
  const plan = ["1. Write README.md: what words() and longest() do.", "2. Write example.mjs."];
  const better = [...plan, "3. Check: run node example.mjs; it prints 4 agents."];
  const written = calls.filter(({ name }) => name === "Write").length;
  // The first call was told where the plan belongs.
  if (written <= rejections)
    return [toolUse("Write", { file_path: path, content: `${(rejections === 0 ? plan : better).join("\n")}\n` })];
  if (asked.length - 1 <= rejections) return [toolUse("ExitPlanMode", {})];
  return made("ExitPlanMode")?.result.includes("approved") ? "I wait." : "I wait for the answer to my plan.";
}
