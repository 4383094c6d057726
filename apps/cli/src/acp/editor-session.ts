import {
  type AgentContext,
  methods,
  type PermissionOption,
  RequestError,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import { messageOf } from "@troupe/protocol";
import {
  type Abort,
  attendInteractive,
  createAbort,
  type Person,
  type Session,
  type SessionEvent,
  type Terminal,
} from "@troupe/runtime";
import { type CallQuestion, type Reply, takenBack } from "@troupe/team";
import { toolCallOf, updatesOf } from "./updates.ts";

/** The modes that an editor can choose. */
export const editorModes = [
  { id: "default", name: "Ask", description: "asks before anything is changed or run" },
  { id: "acceptEdits", name: "Accept edits", description: "edits files of the folder without asking" },
  { id: "plan", name: "Plan", description: "changes nothing before its plan is approved" },
] as const;

/** The end of a turn, in the words of ACP. */
type StopReason = "end_turn" | "cancelled" | "max_turn_requests" | "refusal" | "max_tokens";

export interface EditorSession {
  /** Runs the words of the user, to the end of the turn that hears them. */
  prompt(text: string): Promise<StopReason>;
  cancel(): void;
  close(): Promise<void>;
}

/** Asks the user of the editor, one call at a time. */
export function personAt(client: AgentContext, sessionId: () => string): Person {
  return {
    async ask(question: CallQuestion, signal: AbortSignal): Promise<Reply> {
      const always = question.suggestions.length > 0;
      const options: PermissionOption[] = [
        { optionId: "once", name: "Yes", kind: "allow_once" },
        ...(always ? [{ optionId: "always", name: "Yes, and do not ask again", kind: "allow_always" as const }] : []),
        { optionId: "no", name: "No", kind: "reject_once" },
      ];
      const toolCall = toolCallOf(question.call, question.tool, question.input);
      const by = question.from ? `${question.from.name}: ` : "";
      const { outcome } = await client.request<RequestPermissionResponse>(
        methods.client.session.requestPermission,
        { sessionId: sessionId(), toolCall: { ...toolCall, title: `${by}${toolCall.title}` }, options },
        { cancellationSignal: signal },
      );
      if (signal.aborted || outcome.outcome !== "selected") return takenBack;
      if (outcome.optionId === "once") return { behavior: "allow" };
      if (outcome.optionId === "always" && always) return { behavior: "allow", updates: question.suggestions };
      return { behavior: "deny", message: "the user of the editor refused it" };
    },
  };
}

/** Turns begin with what the editor sends and with the mail of a team. */
export function attendEditor(session: Session): EditorSession {
  const ending = createAbort();
  const waiting: { resolve(stop: StopReason): void; reject(error: unknown): void }[] = [];
  let turn: Abort | undefined;
  const settle = (terminal: Terminal) => {
    const all = waiting.splice(0);
    for (const one of all) {
      try {
        one.resolve(stopOf(terminal));
      } catch (error) {
        one.reject(error);
      }
    }
  };
  const attending = (async () => {
    const attendance = attendInteractive({
      agent: session,
      signal: ending.signal,
      turnSignal() {
        turn = createAbort(ending.signal);
        return turn.signal;
      },
      uiFree: async () => {},
      mail: session.mail,
    });
    for await (const event of attendance) if ("isOk" in event) settle(event);
  })();
  attending.catch((error: unknown) => {
    for (const one of waiting.splice(0)) one.reject(error);
  });

  return {
    async prompt(text) {
      const said = await session.submit(text);
      if (said !== undefined) return "end_turn";
      return new Promise((resolve, reject) => void waiting.push({ resolve, reject }));
    },
    cancel: () => turn?.abort("user_interrupt"),
    async close() {
      turn?.abort("user_interrupt");
      ending.abort("shutdown");
      await attending.catch(() => {});
      await session.close();
    },
  };
}

/** Throws what an editor shows as an error. */
function stopOf(terminal: Terminal): StopReason {
  if (terminal.isOk) return "end_turn";
  switch (terminal.why) {
    case "aborted":
      return "cancelled";
    case "max_turns":
    case "budget":
      return "max_turn_requests";
    case "refusal":
      return "refusal";
    case "overflow":
      return "max_tokens";
    case "model_error":
      throw RequestError.internalError(undefined, terminal.failure?.message ?? "the model did not answer");
  }
}

/** Tells the editor each event, in their order. */
export function tellEditor(client: AgentContext, sessionId: () => string): (event: SessionEvent) => void {
  let last: Promise<void> = Promise.resolve();
  return (event) => {
    for (const update of updatesOf(event))
      last = last
        .then(() => client.notify(methods.client.session.update, { sessionId: sessionId(), update }))
        .catch((error: unknown) => void messageOf(error));
  };
}
