import type { SessionEvent, Terminal, Usage } from "@troupe/runtime";
import type { CallQuestion } from "@troupe/team";
import type { Bill } from "./bill.ts";

export interface StreamDeps {
  readonly cwd: string;
  readonly now: () => Date;
  readonly session: () => { readonly id: string; readonly mode: string };
  /** The names of the MCP servers that are configured. */
  readonly servers: readonly string[];
  /** Takes each message. */
  readonly emit: (message: object) => void;
}

/**
 * A session as messages for programs, in the shape that users of `claude` read: `system`,
 * `assistant`, `user` and `result`.
 */
export function createStream({ cwd, now, session, servers, emit }: StreamDeps) {
  const begun = now().getTime();
  const denials: object[] = [];
  let answers = 0;
  let askedAt: number | undefined;
  let apiMs = 0;
  let hasBegun = false;

  /** The first message, once the model and its tools are known. */
  function begin(model: string | null, tools: readonly string[]): void {
    if (hasBegun) return;
    hasBegun = true;
    const status = (name: string) => (tools.some((tool) => tool.startsWith(`mcp__${name}__`)) ? "connected" : "failed");
    const { id: session_id, mode: permissionMode } = session();
    const mcp_servers = servers.map((name) => ({ name, status: status(name) }));
    emit({ type: "system", subtype: "init", cwd, session_id, model, permissionMode, tools, mcp_servers });
  }

  return {
    add({ agent, ...event }: SessionEvent): void {
      if (event.kind !== "entry") return;
      const { entry } = event;
      const place = { parent_tool_use_id: agent?.call ?? null, session_id: session().id };
      if (entry.kind === "prefix" && !agent) begin(entry.prefix.key.model, entry.prefix.tools.map(nameIn));
      if (entry.kind === "asked" && !agent) askedAt = Date.parse(entry.at);
      if ((entry.kind === "answered" || entry.kind === "failed") && !agent && askedAt !== undefined) {
        apiMs += Date.parse(entry.at) - askedAt;
        askedAt = undefined;
      }
      if (entry.kind === "answered") {
        const { id, model, content, stopReason, usage } = entry.answer;
        if (!agent) answers += 1;
        if (!agent) begin(model, []);
        const message = { id, type: "message", role: "assistant", model, content, stop_reason: stopReason };
        emit({ type: "assistant", message: { ...message, usage: usageOf(usage) }, ...place });
      }
      if (entry.kind === "result") {
        const { call: tool_use_id, content, isError } = entry;
        const result = { type: "tool_result", tool_use_id, content, ...(isError && { is_error: true }) };
        emit({ type: "user", message: { role: "user", content: [result] }, ...place });
      }
      if (entry.kind === "compacted" && !agent) {
        const compact_metadata = { trigger: entry.trigger, pre_tokens: entry.preTokens };
        emit({ type: "system", subtype: "compact_boundary", session_id: place.session_id, compact_metadata });
      }
    },

    denied({ tool, call, input }: CallQuestion): void {
      denials.push({ tool_name: tool, tool_use_id: call, tool_input: input });
    },

    /** The last message of a turn, or of all. */
    result(ending: Ending, { usage, cost }: Bill): object {
      const { input, cacheRead, cacheWrite, output } = usage;
      return {
        type: "result",
        subtype: ending.isOk ? "success" : (failures[ending.why] ?? "error_during_execution"),
        is_error: !ending.isOk,
        duration_ms: now().getTime() - begun,
        duration_api_ms: apiMs,
        num_turns: answers,
        result: ending.text,
        ...(ending.failure !== undefined && { errors: [ending.failure] }),
        session_id: session().id,
        ...(cost !== undefined && { total_cost_usd: cost }),
        usage: {
          input_tokens: input,
          cache_creation_input_tokens: cacheWrite,
          cache_read_input_tokens: cacheRead,
          output_tokens: output,
        },
        permission_denials: [...denials],
      };
    },

    begin,
  };
}

/** How a run or one of its turns ended. */
export interface Ending {
  readonly isOk: boolean;
  readonly why: string;
  readonly text: string;
  readonly failure?: string | undefined;
}

/** `said` is the answer of a command that is no turn. */
export function endingOf(terminal: Terminal | undefined, said?: string): Ending {
  if (!terminal) return { isOk: said !== undefined, why: "not_begun", text: said ?? "" };
  if (terminal.isOk) return terminal;
  const { text, reason, failure, because } = terminal;
  const why = reason === "budget" ? "budget" : terminal.why;
  return { isOk: false, why, text, failure: failure?.message ?? because ?? reason };
}

const failures: Readonly<Record<string, string>> = {
  max_turns: "error_max_turns",
  budget: "error_max_budget_usd",
};

/** Tools stand in a prefix as the bytes that are sent. */
const nameIn = (tool: string): string => (JSON.parse(tool) as { readonly name: string }).name;

const usageOf = ({ input, cacheRead, cacheWrite5m, cacheWrite1h, output }: Usage) => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
});
