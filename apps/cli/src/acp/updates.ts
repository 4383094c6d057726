import type { SessionUpdate, ToolKind } from "@agentclientprotocol/sdk";
import type { SessionEvent } from "@troupe/runtime";
import { replayed } from "../screen/replay.ts";
import { type SeenCall, textOf } from "../screen/talk.ts";

const kinds: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  Edit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  Bash: "execute",
  Grep: "search",
  Glob: "search",
  WebFetch: "fetch",
  ExitPlanMode: "switch_mode",
};

/** What a call is called in a line. */
const nameOfCall: Readonly<Record<string, string>> = {
  Bash: "command",
  Read: "file_path",
  Edit: "file_path",
  Write: "file_path",
  Grep: "pattern",
  Glob: "pattern",
  WebFetch: "url",
  Agent: "description",
};

/** A call as an editor shows it. */
export function toolCallOf(id: string, name: string, rawInput: unknown) {
  const fields = (rawInput ?? {}) as Readonly<Record<string, unknown>>;
  const about = fields[nameOfCall[name] ?? ""];
  const title = typeof about === "string" ? `${name} ${about.slice(0, 200)}` : name;
  const path = fields["file_path"];
  return {
    toolCallId: id,
    title,
    kind: kinds[name] ?? "other",
    rawInput,
    ...(typeof path === "string" && { locations: [{ path }] }),
  };
}

const textUpdate = (
  sessionUpdate: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
  text: string,
) => ({ sessionUpdate, content: { type: "text", text } }) as const;

/** What an editor is told of an event; of agents below and of teammates it sees the calls alone. */
export function updatesOf({ agent, ...event }: SessionEvent): readonly SessionUpdate[] {
  if (agent) return [];
  if (event.kind === "piece")
    return event.of === "tool_use"
      ? []
      : [textUpdate(event.of === "text" ? "agent_message_chunk" : "agent_thought_chunk", event.text)];
  if (event.kind === "shown") return [textUpdate("agent_message_chunk", `${event.text}\n`)];
  if (event.kind !== "entry") return [];
  const { entry } = event;
  if (entry.kind === "answered")
    return entry.answer.content.flatMap(({ type, id, name, input }) =>
      type === "tool_use"
        ? [
            {
              sessionUpdate: "tool_call" as const,
              ...toolCallOf(String(id), String(name), input),
              status: "pending" as const,
            },
          ]
        : [],
    );
  if (entry.kind === "called")
    return [{ sessionUpdate: "tool_call_update", toolCallId: entry.call, status: "in_progress" }];
  if (entry.kind !== "result") return [];
  return [resultOf(entry.call, textOf(entry.content), entry.isError)];
}

const resultOf = (toolCallId: string, text: string, isError: boolean): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  status: isError ? "failed" : "completed",
  content: [{ type: "content", content: { type: "text", text } }],
});

/** What was said before, for an editor that goes on with it. */
export function replayOf(state: Parameters<typeof replayed>[0]): readonly SessionUpdate[] {
  return replayed(state).items.flatMap((item): readonly SessionUpdate[] => {
    if (item.kind === "person") return [textUpdate("user_message_chunk", item.text)];
    if (item.kind === "words") return [textUpdate("agent_message_chunk", item.text)];
    return item.kind === "call" ? replayedCall(item.call) : [];
  });
}

function replayedCall({ id, name, input, result }: SeenCall): readonly SessionUpdate[] {
  const call = { sessionUpdate: "tool_call" as const, ...toolCallOf(id, name, input), status: "pending" as const };
  return [call, ...(result ? [resultOf(id, result.text, result.isError)] : [])];
}
