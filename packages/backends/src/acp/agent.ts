import { setTimeout as delay } from "node:timers/promises";
import {
  client,
  type InitializeResponse,
  type LoadSessionResponse,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type ResumeSessionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { type Running, startProcess } from "@troupe/process";
import { messageOf, TroupeError } from "@troupe/protocol";
import { aborted, firstOf } from "@troupe/store";
import { messageLines } from "./lines.ts";

/** A call that an agent wants a decision about. */
export interface AgentCall {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly input: unknown;
}

/** `cancelled`: the turn that it belongs to is over. */
export type Verdict = "allow" | "deny" | "cancelled";

export interface AgentDeps {
  readonly command: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The server of the team's tools, as the agent starts it. */
  readonly server: { readonly name: string; readonly command: string; readonly args: readonly string[] };
  /** The session of an earlier process. */
  readonly resume?: string | undefined;
  /** How long it may take until it has a session. */
  readonly startMs: number;
  readonly decide: (call: AgentCall, signal: AbortSignal) => Promise<Verdict>;
  /** Told when a call begins and when it is over. */
  readonly onCall: (call: Pick<AgentCall, "id" | "title">, phase: "began" | "completed" | "failed") => void;
  readonly show: (message: string) => void;
}

export interface AgentTurn {
  /** Why it ended, in the words of ACP. */
  readonly stop: string;
  /** What was said last. */
  readonly text: string;
  /** Why there was no turn, in the words of the agent. */
  readonly fault?: string | undefined;
}

/** An agent of others, with one session. */
export interface Agent {
  readonly sessionId: string;
  readonly modes: readonly string[];
  setMode(id: string): Promise<void>;
  /** One turn; the signal cancels it, and one that does not end within the grace is an error. */
  prompt(text: string, signal: AbortSignal, graceMs: number): Promise<AgentTurn>;
  /** Resolves with how its process ended. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

const longestText = 64 * 1024;
const lastErrors = 4_096;
const lastWordsMs = 2_000;

/** Starts the program and opens a session with it. Throws `teammate_failed` with its last words. */
export async function openAgent(deps: AgentDeps): Promise<Agent> {
  const [program, ...args] = deps.command;
  const running = startProcess({ program, args, cwd: deps.cwd, environment: deps.environment, hasInput: true });
  let errors = "";
  running.errors.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString("utf8")).slice(-lastErrors);
  });
  const ended = running.ended.then(({ code, signal, fault }) =>
    [fault ?? (signal ? `was killed by ${signal}` : `ended with exit code ${code}`), errors.trim()].join("\n").trim(),
  );
  try {
    return await talk(deps, running, ended);
  } catch (error) {
    await running.end();
    const words = [`${program} could not be used: ${messageOf(error)}`, errors.trim()].join("\n").trim();
    throw new TroupeError("teammate_failed", words, { program });
  }
}

async function talk(deps: AgentDeps, running: Running, ended: Promise<string>): Promise<Agent> {
  const { cwd, server, resume, startMs, onCall, show } = deps;
  const { output, input } = running;
  if (!input) throw new Error("it has no standard input");
  let text = "";
  let turn: AbortController | undefined;

  function onUpdate(update: SessionUpdate): void {
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
      text = (text + update.content.text).slice(-longestText);
    else if (update.sessionUpdate === "tool_call") {
      text = "";
      onCall({ id: update.toolCallId, title: update.title ?? update.kind ?? "tool" }, "began");
    } else if (
      update.sessionUpdate === "tool_call_update" &&
      (update.status === "completed" || update.status === "failed")
    )
      onCall({ id: update.toolCallId, title: update.title ?? "" }, update.status);
  }

  async function onPermission(
    { toolCall, options }: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    const { toolCallId: id, title, kind, rawInput } = toolCall;
    const call = { id, title: title ?? kind ?? "a tool", kind: kind ?? "other", input: rawInput ?? {} };
    const over = AbortSignal.any([signal, ...(turn ? [turn.signal] : [])]);
    const verdict = over.aborted || !turn ? "cancelled" : await deps.decide(call, over);
    if (over.aborted || verdict === "cancelled") return { outcome: { outcome: "cancelled" } };
    const option = options.find(({ kind: one }) => one === (verdict === "allow" ? "allow_once" : "reject_once"));
    if (option) return { outcome: { outcome: "selected", optionId: option.optionId } };
    // Always is more than was decided, unless it is no.
    const no = options.find(({ kind: one }) => one === "reject_once" || one === "reject_always");
    if (verdict === "allow") show(`${call.title} is not run: the agent offers no way to allow it once`);
    return { outcome: no ? { outcome: "selected", optionId: no.optionId } : { outcome: "cancelled" } };
  }

  const connection = client({ name: "troupe" })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => onPermission(params, signal))
    .onNotification(methods.client.session.update, ({ params }) => onUpdate(params.update))
    .connect(messageLines({ output, input, onGarbage: (line) => show(`not a message: ${line.slice(0, 200)}`) }));
  const { agent } = connection;
  const gone = ended.then((how): never => {
    throw new TroupeError("teammate_failed", `the agent ${how}`);
  });
  gone.catch(() => {});
  const inTime = <T>(work: Promise<T>): Promise<T> =>
    Promise.race([work, gone, rejectAfter(startMs, `it did not answer within ${startMs} ms`)]);

  const { agentCapabilities } = await inTime(
    agent.request<InitializeResponse>(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
    }),
  );
  const mcpServers = [{ name: server.name, command: server.command, args: [...server.args], env: [] }];
  const opened = async () => {
    const before = { sessionId: resume ?? "", cwd, mcpServers };
    if (resume !== undefined && agentCapabilities?.sessionCapabilities?.resume)
      return {
        sessionId: resume,
        modes: (await agent.request<ResumeSessionResponse>(methods.agent.session.resume, before)).modes,
      };
    if (resume !== undefined && agentCapabilities?.loadSession)
      return {
        sessionId: resume,
        modes: (await agent.request<LoadSessionResponse | null>(methods.agent.session.load, before))?.modes,
      };
    return agent.request<NewSessionResponse>(methods.agent.session.new, { cwd, mcpServers });
  };
  const { sessionId, modes } = await inTime(opened());

  return {
    sessionId,
    modes: (modes?.availableModes ?? []).map(({ id }) => id),
    ended,
    async setMode(modeId) {
      await inTime(agent.request(methods.agent.session.setMode, { sessionId, modeId }));
    },
    async prompt(words, signal, graceMs) {
      text = "";
      turn = new AbortController();
      const own = turn;
      const asked = agent.request<PromptResponse>(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: words }],
      });
      const cancelled = async (over: AbortSignal): Promise<never> => {
        await aborted(AbortSignal.any([signal, over]));
        if (over.aborted) throw over.reason;
        own.abort();
        await agent.notify(methods.agent.session.cancel, { sessionId });
        return rejectAfter(graceMs, `it did not end its turn within ${graceMs} ms after it was cancelled`, over);
      };
      try {
        const { stopReason } = await firstOf(
          never,
          () => asked,
          () => gone,
          cancelled,
        );
        return { stop: stopReason, text };
      } catch (error) {
        // It says what went wrong, and goes on.
        if (error instanceof RequestError) return { stop: "error", text, fault: error.message };
        // Its output closes before its end is known.
        const how = await Promise.race([ended, delay(lastWordsMs, undefined, { ref: false })]);
        throw how === undefined ? error : new TroupeError("teammate_failed", `the agent ${how}`);
      } finally {
        own.abort();
        turn = undefined;
      }
    },
    async close() {
      connection.close();
      await running.end();
    },
  };
}

const never = new AbortController().signal;

async function rejectAfter(ms: number, why: string, signal?: AbortSignal): Promise<never> {
  await delay(ms, undefined, { ref: false, ...(signal && { signal }) });
  throw new Error(why);
}
