import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";

/** A call that an agent wants a decision about. */
export interface AgentCall {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  /** What the agent calls the tool, where it says so besides the title. */
  readonly tool?: string | undefined;
  readonly input: unknown;
}

/** `cancelled`: the turn that it belongs to is over. */
export type Verdict = "allow" | "deny" | "cancelled";

export interface HearingDeps {
  readonly decide: (call: AgentCall, signal: AbortSignal) => Promise<Verdict>;
  /** Told when a call begins and when it is over, each once. */
  readonly onCall: (call: Pick<AgentCall, "id" | "title">, phase: "began" | "completed" | "failed") => void;
  readonly show: (message: string) => void;
}

interface HeardTurn {
  /** What was said last. */
  text(): string;
  /** What is asked from here on, and what waits, is answered with `cancelled`. */
  giveUp(): void;
  end(): void;
}

/** What an agent says and asks between its turns counts for nothing. */
export interface Hearing {
  begin(): HeardTurn;
  updated(update: SessionUpdate): void;
  asked(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
}

const longestText = 64 * 1024;
const longestName = 200;
const mostCalls = 1_000;
const mostQuestions = 20;

const short = (name: string): string => name.slice(0, longestName);

const cancelled: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

/** Hears the turns of one agent, which may say anything at any time. */
export function hearAgent({ decide, onCall, show }: HearingDeps): Hearing {
  let turn: { readonly over: AbortController; readonly calls: Map<string, string> } | undefined;
  let text = "";
  let questions = 0;

  function called(id: string, title: string, status: string | null | undefined): void {
    const calls = turn?.calls;
    if (!calls) return;
    if (!calls.has(id) && calls.size < mostCalls) {
      calls.set(id, title);
      onCall({ id, title }, "began");
    }
    ended(id, status);
  }

  function ended(id: string, status: string | null | undefined): void {
    const title = turn?.calls.get(id);
    if (title === undefined || (status !== "completed" && status !== "failed")) return;
    turn?.calls.delete(id);
    onCall({ id, title }, status);
  }

  async function answer({ toolCall, options }: RequestPermissionRequest, over: AbortSignal) {
    const call = callOf(toolCall);
    const verdict = await decide(call, over);
    if (over.aborted || verdict === "cancelled") return cancelled;
    const option = options.find(({ kind }) => kind === (verdict === "allow" ? "allow_once" : "reject_once"));
    if (option) return selected(option);
    // Always is more than was decided, unless it is no.
    const no = options.find(({ kind }) => kind === "reject_once" || kind === "reject_always");
    if (verdict === "allow") show(`${call.title} is not run: the agent offers no way to allow it once`);
    return no ? selected(no) : cancelled;
  }

  return {
    begin() {
      const over = new AbortController();
      const own = { over, calls: new Map<string, string>() };
      turn = own;
      text = "";
      return {
        text: () => text,
        giveUp: () => over.abort(),
        end() {
          over.abort();
          if (turn === own) turn = undefined;
        },
      };
    },
    updated(update) {
      if (!turn) return;
      const { sessionUpdate: kind } = update;
      if (kind === "agent_message_chunk" && update.content.type === "text")
        text = (text + update.content.text).slice(-longestText);
      if (kind === "tool_call") {
        text = "";
        called(short(update.toolCallId), short(update.title ?? update.kind ?? "tool"), update.status);
      }
      if (kind === "tool_call_update") ended(short(update.toolCallId), update.status);
    },
    async asked(request, signal) {
      if (!turn || turn.over.signal.aborted) return cancelled;
      if (questions >= mostQuestions) {
        show(`${short(request.toolCall.title ?? "a call")} is not run: the agent has ${questions} open questions`);
        return cancelled;
      }
      questions += 1;
      try {
        return await answer(request, AbortSignal.any([signal, turn.over.signal]));
      } finally {
        questions -= 1;
      }
    },
  };
}

const selected = ({ optionId }: { readonly optionId: string }): RequestPermissionResponse => ({
  outcome: { outcome: "selected", optionId },
});

/** What is asked about, in words for a person where the agent gives no input. */
function callOf({ toolCallId, title, kind, rawInput, content, locations, _meta }: ToolCallUpdate): AgentCall {
  const diff = content?.find((one) => one.type === "diff");
  const shown = {
    ...(locations?.[0] && { file_path: locations[0].path }),
    ...(diff && { file_path: diff.path, old_string: diff.oldText ?? "", new_string: diff.newText }),
  };
  return {
    id: short(toolCallId),
    title: short(title ?? kind ?? "a tool"),
    kind: kind ?? "other",
    tool: toolIn(_meta),
    input: rawInput ?? shown,
  };
}

/** ACP has no place for it: two agents say it in two ways. */
function toolIn(meta: ToolCallUpdate["_meta"]): string | undefined {
  const { toolName, claudeCode } = (meta ?? {}) as { toolName?: unknown; claudeCode?: { toolName?: unknown } | null };
  const name = toolName ?? claudeCode?.toolName;
  return typeof name === "string" ? short(name) : undefined;
}
