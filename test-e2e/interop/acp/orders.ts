import type { ContentBlock, MessagesRequest, Reply, Rule } from "@troupe/fake-anthropic";
import { toolUse } from "@troupe/fake-anthropic";

/** What a prompt bids its model do, as it stands in the words of a lead. */
export const order = (what: "say" | "run" | "mail" | "task" | "hold", about: string): string =>
  `order:${what} [${about}]`;

const pattern = /order:(say|run|mail|task|hold) \[([^\]]*)\]/g;

/** Plays the model of every agent: the last order of its conversation is carried out. */
export const carryOut: Rule = (request) => {
  // Titles and guesses are asked for without tools.
  if (request.tools.length === 0) return "OK.";
  const blocks = request.messages.flatMap(({ role, content }) => [content].flat().map((block) => ({ role, block })));
  const told = blocks.findLastIndex(({ role, block }) => role === "user" && textIn(block).match(pattern));
  const found = [...textIn(blocks[told]?.block).matchAll(pattern)].at(-1);
  if (!found) return "OK.";
  const [, what = "", about = ""] = found;
  const since = blocks.slice(told + 1).map(({ block }) => block);
  const results = since.filter(({ type }) => type === "tool_result");
  const last = JSON.stringify(results.at(-1) ?? "");
  // A task that somebody else has is left.
  if (last.includes("task_blocked")) return "somebody else has it";
  return replyTo(request, { what, about, step: results.length, last });
};

interface Order {
  readonly what: string;
  readonly about: string;
  /** How many calls have an answer. */
  readonly step: number;
  readonly last: string;
}

function replyTo(request: MessagesRequest, { what, about, step, last }: Order): Reply | Promise<Reply> {
  const done = `${what} is over: ${last.slice(0, 2_000)}`;
  switch (what) {
    case "say":
      return `said ${about}`;
    case "hold":
      return new Promise(() => {});
    case "run":
      return step === 0 ? shellCall(request, about) : done;
    case "mail":
      return teamCalls(request, "send_message", { to: "lead", message: about })[step] ?? done;
    default: {
      const steps = [
        ...teamCalls(request, "claim_task", { id: about }),
        ...teamCalls(request, "complete_task", { id: about }),
      ];
      return steps[step] ?? done;
    }
  }
}

const textIn = (block: ContentBlock | string | undefined): string =>
  typeof block === "string" ? block : block?.type === "text" ? String(block["text"]) : "";

const shells = ["Bash", "bash", "run_shell_command", "shell_command", "exec_command", "shell"];

function shellCall({ tools }: MessagesRequest, command: string): Reply {
  const name = shells.find((one) => tools.some((tool) => tool.name === one));
  if (name === undefined) throw new Error(`no tool for commands among ${tools.map((tool) => tool.name).join()}`);
  const isCodex = name === "exec_command" || name === "shell_command" || name === "shell";
  const escalated = { sandbox_permissions: "require_escalated", justification: "the lead wants it" };
  if (name === "exec_command") return [toolUse(name, { cmd: command, ...escalated })];
  return [toolUse(name, { command, ...(isCodex ? escalated : { description: "as the lead wants it" }) })];
}

/** A call of a tool of the team under the name that this agent gives it, or the way to it. */
function teamCalls({ tools, system }: MessagesRequest, tool: string, input: Record<string, string>): readonly Reply[] {
  const name = tools.find((one) => one.name.endsWith(tool))?.name;
  if (name !== undefined) return [[toolUse(name, input)]];
  // Some agents keep tools back that are seldom called: one tool finds them, another calls them.
  const toolName = `mcp__troupe__${tool}`;
  const query = `select:${toolName}`;
  const has = (word: string) => tools.some((one) => one.name === word);
  if (has("DeferExecuteTool"))
    return [[toolUse("ToolSearch", { query })], [toolUse("DeferExecuteTool", { toolName, params: input })]];
  if (has("tool_call"))
    return [[toolUse("tool_search", { query })], [toolUse("tool_call", { name: toolName, arguments: input })]];
  if (has("TaskUpdate") && has("SendMessage")) return [[ownCall(tool, input, JSON.stringify(system))]];
  throw new Error(`no ${tool} among ${tools.map((one) => one.name).join()}`);
}

/** The same in the tools of a session of ours, which says who it is. */
function ownCall(tool: string, { id: taskId, message }: Record<string, string>, system: string) {
  if (tool === "send_message") return toolUse("SendMessage", { to: "team-lead", summary: "words", message });
  const [, owner] = /You are (\w+) in the team/.exec(system) ?? [];
  const change = tool === "claim_task" ? { status: "in_progress", owner } : { status: "completed" };
  return toolUse("TaskUpdate", { taskId, ...change });
}
