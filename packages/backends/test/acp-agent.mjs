// An agent that speaks ACP and does what the words of its prompt say, faults too.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (update) => say({ method: "session/update", params: { sessionId: "s1", update } });
const tell = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const has = (flag) => process.argv.includes(flag);
const waiting = new Map();
let cancel = () => {};
let server;
let next = 1;

/** Calls a tool of the server of the team, as any client does. */
async function use(name, args) {
  const child = spawn(server.command, server.args, { stdio: ["pipe", "pipe", "inherit"] });
  const answers = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line);
    answers.get(id)?.(result);
  });
  const ask = (id, method, params) =>
    new Promise((resolve) => {
      answers.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  const clientInfo = { name: "scripted", version: "1" };
  await ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const { content } = await ask(2, "tools/call", { name, arguments: args });
  child.stdin.end();
  return content[0].text;
}

const options = [
  { optionId: "yes-for-ever", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
];

function permission(toolCall, offered = options) {
  const id = `ask-${next++}`;
  say({ id, method: "session/request_permission", params: { sessionId: "s1", toolCall, options: offered } });
  return new Promise((resolve) => waiting.set(id, resolve));
}

async function work(id, text) {
  const end = (stopReason = "end_turn") => say({ id, result: { stopReason } });
  const cancelled = new Promise((resolve) => {
    cancel = resolve;
  });
  const toolCall = {
    toolCallId: "call-1",
    title: "rm -rf build",
    kind: "execute",
    rawInput: { command: "rm -rf build" },
  };
  if (text.includes("do: permit") || text.includes("do: only-always")) {
    update({ sessionUpdate: "tool_call", ...toolCall, status: "pending" });
    const offered = text.includes("only-always") ? options.slice(0, 2) : options;
    const { outcome } = await permission(toolCall, offered);
    update({
      sessionUpdate: "tool_call_update",
      toolCallId: "call-1",
      status: outcome.optionId === "yes" ? "completed" : "failed",
    });
    tell(`the answer was ${outcome.optionId ?? outcome.outcome}`);
    return end(outcome.outcome === "cancelled" ? "cancelled" : "end_turn");
  }
  if (text.includes("do: plan")) {
    const call = { toolCallId: "call-2", title: "Ready to code?", kind: "switch_mode", rawInput: { plan: "1. paint" } };
    const { outcome } = await permission(call);
    tell(`the plan was answered ${outcome.optionId}`);
    return end();
  }
  if (text.includes("do: die")) {
    update({ sessionUpdate: "tool_call", ...toolCall, status: "in_progress" });
    process.stderr.write("out of memory\n");
    process.exit(3);
  }
  if (text.includes("do: garbage")) process.stdout.write("Loading…\n{ not json\n\n[1]\n");
  if (text.includes("do: introduced") && text.includes("You are ann in the team crew")) tell("I was introduced");
  if (text.includes("do: flood")) {
    process.stdout.write("{ not json\n".repeat(5_000));
    const [toolCallId, title] = ["x".repeat(100_000), "y".repeat(100_000)];
    for (let n = 0; n < 50; n++) update({ sessionUpdate: "tool_call", toolCallId, title, status: "in_progress" });
    for (let n = 0; n < 50; n++) update({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
  }
  if (text.includes("do: big")) tell("x".repeat(10 << 20));
  if (text.includes("do: wait")) {
    await Promise.race([cancelled, new Promise((resolve) => setTimeout(resolve, 30_000))]);
    return end("cancelled");
  }
  if (text.includes("do: deaf")) return undefined;
  if (text.includes("do: refuse")) return end("refusal");
  if (text.includes("do: mail")) tell(await use("send_message", { to: "lead", message: "part A is finished" }));
  // What a lead orders of every make.
  const [, task] = /order:task \[(\d+)\]/.exec(text) ?? [];
  if (task !== undefined && !(await use("claim_task", { id: task })).includes("task_blocked"))
    await use("complete_task", { id: task });
  const [, words] = /order:mail \[([^\]]*)\]/.exec(text) ?? [];
  if (words !== undefined) await use("send_message", { to: "lead", message: words });
  if (text.includes("do: twice")) end();
  tell(`I did: ${/do: (\S+)/.exec(text)?.[1] ?? "nothing"}`);
  end();
  if (text.includes("do: late")) setTimeout(() => tell("too late"), 5);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result);
  if (has("--silent")) return;
  const modes = {
    currentModeId: "default",
    availableModes: ["default", "plan", "acceptEdits"].map((one) => ({ id: one, name: one })),
  };
  switch (method) {
    case "initialize":
      if (has("--die")) {
        process.stderr.write("no such model\n");
        process.exit(3);
      }
      return say({
        id,
        result: { protocolVersion: has("--version-2") ? 2 : 1, agentCapabilities: { loadSession: true } },
      });
    case "session/new":
    case "session/load":
      server = params.mcpServers[0];
      process.stderr.write(`${method}\n`);
      if (has("--login")) return say({ id, error: { code: -32000, message: "Authentication required" } });
      if (params.sessionId === "lost") return say({ id, error: { code: -32603, message: "no such session" } });
      if (method === "session/load") tell("what was said before");
      return say({ id, result: { sessionId: "s1", modes } });
    case "session/set_mode":
      process.stderr.write(`mode ${params.modeId}\n`);
      return say({ id, result: {} });
    case "session/cancel":
      return cancel();
    case "session/prompt":
      return void work(id, params.prompt.map(({ text }) => text).join("\n"));
    default:
      return say({ id, error: { code: -32601, message: "no such method" } });
  }
});
process.stdin.on("end", () => process.exit(0));
