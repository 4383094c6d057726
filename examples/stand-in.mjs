// Plays the model for a team of your own, until Ctrl-C.   node examples/stand-in.mjs 8000
// Teammates plan where they must, take what is free, ask before commands, and agree to end.
import { startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";

/** @typedef {import("@troupe/fake-anthropic").MessagesRequest} Request */

/** @param {Request["messages"]} messages */
function lastCall(messages) {
  const blocks = messages.flatMap(({ content }) => content);
  const call = blocks.findLast(({ type }) => type === "tool_use");
  const answer = blocks.find((block) => block["tool_use_id"] === call?.["id"]);
  return { name: call?.["name"], input: Object(call?.["input"]), result: wordsOf(answer?.["content"]) };
}

/** @param {unknown} content @returns {string} */
const wordsOf = (content) =>
  Array.isArray(content) ? content.map(({ text, content: inner }) => text ?? wordsOf(inner)).join("\n") : `${content}`;

/** @param {string} name @param {string} role @param {Request["messages"]} messages */
function teammate(name, role, messages) {
  const [said, heard] = [wordsOf(messages), wordsOf(messages.slice(-1))];
  const isWoken = messages.at(-1)?.content.some(({ type }) => type === "text");
  const { name: did, input, result } = lastCall(messages);
  const [request_id] = /shutdown-\d+@[\w-]+/.exec(heard) ?? [];
  if (isWoken && request_id)
    return toolUse("SendMessage", {
      to: "team-lead",
      message: { type: "shutdown_response", request_id, approve: true },
    });

  const [, plan] = /Write it to (\S+\.md)/.exec(role) ?? [];
  if (plan && !said.includes("[Plan Approved]")) {
    const content = `# The plan of ${name}\n\n1. Take what is free.\n2. Write down in work.txt that it is done.\n`;
    if (isWoken) return toolUse("Write", { file_path: plan, content });
    return did === "Write" ? toolUse("ExitPlanMode", {}) : "I wait for the lead.";
  }

  const [, free] = /^#(\d+) \[pending\] (?!.*(?:\)|\[blocked by .*\])$)/m.exec(result) ?? [];
  const isDone = did === "TaskUpdate" && input.status === "completed";
  const isTaken = did === "TaskUpdate" && !isDone && !result.includes("is yours"); // by another, since the look
  if (isWoken || isDone || isTaken) return toolUse("TaskList", {});
  if (did === "TaskList" && free) return toolUse("TaskUpdate", { taskId: free, owner: name, status: "in_progress" });
  if (did === "TaskList")
    return toolUse("SendMessage", { to: "team-lead", summary: "idle", message: "Nothing is free." });
  if (did === "TaskUpdate") return toolUse("Bash", { command: `echo "#${input.taskId} by ${name}" >> work.txt` });
  if (did === "Bash" && !result.includes("was not run"))
    return toolUse("TaskUpdate", { taskId: /#(\d+)/.exec(input.command)?.[1], status: "completed" });
  return "I have nothing to do.";
}

const { url } = await startFakeAnthropic({
  port: Number(process.argv[2] ?? 0),
  rule({ system, messages }) {
    const role = wordsOf(system);
    const [, name] = /You are ([\w-]+) in the team/.exec(role) ?? [];
    return name ? teammate(name, role, messages) : undefined; // what is no teammate hears its own words
  },
});
console.log(`export ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL=${url}`);
