import { type Reply, type ReplyBlock, toolUse } from "@troupe/fake-anthropic";
import type { Conversation } from "./conversation.ts";

const tasks = [
  ["Fix words() for blanks", "words.mjs, until words.test.mjs passes"],
  ["Add longest()", "longest.mjs: the longest word of a text, with longest.test.mjs"],
  ["Write README.md and an example that runs", "what words() and longest() do"],
] as const;
const teammates = ["ann", "bob", "cleo"] as const;
const reviewed = ["words.mjs", "longest.mjs", "README.md"] as const;
const tests = "node --test words.test.mjs longest.test.mjs";

const send = (to: string, message: object | string) => toolUse("SendMessage", { to, summary: "a word", message });
const add = (name: string, prompt: string, more: object = {}) =>
  toolUse("Agent", { name, description: prompt, prompt, subagent_type: "general-purpose", team_name: "demo", ...more });
const ask = (name: string, more: object = {}) =>
  toolUse("Agent", { description: `review of ${name}`, prompt: `Review ${name}: is it right, and plain?`, ...more });

/** Leads the team through the tasks of the brief, by what it hears and what the task list says. */
export function lead(talk: Conversation): Reply {
  const { told, isWoken, made } = talk;
  if (!made("TeamCreate")) return [toolUse("TeamCreate", { team_name: "demo", description: "Count words rightly" })];
  if (!made("TaskCreate"))
    return tasks.map(([subject, description]) => toolUse("TaskCreate", { subject, description }));
  if (!made("TaskUpdate")) return [toolUse("TaskUpdate", { taskId: "3", addBlockedBy: ["1", "2"] })];
  if (!made("Agent", '"ann"')) {
    const isolated = { isolation: "worktree" };
    return [add("ann", "Do #1."), add("bob", "Do #2.", isolated), add("cleo", "Do #3.", { mode: "plan" })];
  }
  const urgent = [...plansToJudge(talk), ...lost(talk)];
  if (urgent.length > 0) return urgent;
  const list = made("TaskList")?.result ?? "";
  const isDone = (id: string) => list.includes(`#${id} [completed]`);
  if (isWoken && !isDone("3")) return [toolUse("TaskList", {})];
  if (isDone("1") && isDone("2") && !made("Bash", "git merge"))
    return [toolUse("Bash", { command: "git merge --no-edit worktree-agent-bob", description: "merge #2" })];
  if (made("Bash", "git merge") && !made("SendMessage", "go on with"))
    return [send("cleo", "#1 and #2 are done and merged: go on with #3.")];
  if (!isDone("3")) return "I wait for the team.";
  return conclusion(talk, told);
}

/** Answers to plans that wait: one that says how it is checked is approved. */
function plansToJudge({ told, made }: Conversation): ReplyBlock[] {
  const plans = told.split("<teammate-message").flatMap((message) => {
    const [id] = /plan_approval-\d+@\w+@demo/.exec(message) ?? [];
    return id === undefined || made("SendMessage", id) ? [] : [{ id, message }];
  });
  return plans.map(({ id, message }) => {
    const [, plan = ""] = /"planContent":"((?:[^"\\]|\\.)*)"/.exec(message) ?? [];
    const isChecked = /\bcheck/i.test(plan);
    const feedback = isChecked ? {} : { feedback: "How is the result checked? Say it." };
    return send("cleo", { type: "plan_approval_response", request_id: id, approve: isChecked, ...feedback });
  });
}

/** Teammates that ended without a word, added again. */
function lost({ told, calls }: Conversation): ReplyBlock[] {
  return teammates.flatMap((name, index) => {
    const deaths = told.split(`${name} has ended without a word`).length - 1;
    const begins = calls.filter((call) => call.name === "Agent" && call.input["name"] === name).length;
    const more = name === "bob" ? { isolation: "worktree" } : name === "cleo" ? { mode: "plan" } : {};
    const prompt = `Do #${index + 1}. One before you was cut off: go on with what is in the folder.`;
    return begins > deaths ? [] : [add(name, prompt, more)];
  });
}

/** Tests, reviews twice, lets the team go and reports. */
function conclusion({ first, cwd, calls, made }: Conversation, told: string): Reply {
  const tested = made("Bash", tests);
  if (!tested) return [toolUse("Bash", { command: tests, description: "all tests" })];
  if (!made("Read")) return reviewed.map((name) => toolUse("Read", { file_path: `${cwd}/${name}` }));
  const started = calls.filter(({ name, input }) => name === "Agent" && input["name"] === undefined).length;
  if (started === 0) return reviewed.map((name) => ask(name));
  const reviews = told.match(/Agent "review of \S+" completed/g)?.length ?? 0;
  if (reviews < started) return "I wait for the reviews.";
  if (started === reviewed.length) return reviewed.map((name) => ask(name, { subagent_type: "general-purpose" }));
  if (!made("SendMessage", "shutdown_request"))
    return teammates.map((name) => send(name, { type: "shutdown_request", reason: "all is done" }));
  const agreed = new Set(told.match(/"shutdown_approved"[^}]*"from":"\w+"/g)).size;
  if (agreed < teammates.length) return "They are asked to end.";
  if (first.includes("delete the team") && !made("TeamDelete")) return [toolUse("TeamDelete", {})];
  return /\bfail 0\b/.test(tested.result)
    ? "The fault is fixed, longest() and README.md are there, and all tests pass."
    : "The work is done, but tests fail.";
}
