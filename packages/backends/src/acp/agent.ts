import { setTimeout as delay } from "node:timers/promises";
import {
  type ClientConnection,
  client,
  type InitializeResponse,
  type LoadSessionResponse,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
} from "@agentclientprotocol/sdk";
import { type Running, startProcess } from "@troupe/process";
import { messageOf, TroupeError } from "@troupe/protocol";
import { aborted, firstOf } from "@troupe/store";
import { type HearingDeps, hearAgent } from "./hearing.ts";
import { messageLines } from "./lines.ts";
import type { AgentPreset } from "./presets.ts";

export interface AgentDeps extends HearingDeps {
  readonly preset: Pick<AgentPreset, "command" | "variables">;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The server of the team's tools, as the agent starts it. */
  readonly server: {
    readonly name: string;
    readonly command: string;
    readonly args: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
  };
  /** The session of an earlier process. */
  readonly resume?: string | undefined;
  /** How long it may take until it has a session. */
  readonly startMs: number;
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
  /** Rejects when its process has ended, with its last words. */
  readonly gone: Promise<never>;
  close(): Promise<void>;
}

const lastErrors = 4_096;
const lastWordsMs = 2_000;

/** Starts the program and opens a session with it. Throws `teammate_failed` with its last words. */
export async function openAgent(deps: AgentDeps): Promise<Agent> {
  const [program, ...args] = deps.preset.command;
  const running = startProcess({ program, args, cwd: deps.cwd, environment: deps.environment, hasInput: true });
  let errors = "";
  running.errors.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString("utf8")).slice(-lastErrors);
  });
  const gone = running.ended.then(({ code, signal, fault }): never => {
    const how = fault ?? (signal ? `was killed by ${signal}` : `ended with exit code ${code}`);
    throw new TroupeError("teammate_failed", `the agent ${how}\n${errors.trim()}`.trim());
  });
  gone.catch(() => {});
  try {
    return await talk(deps, running, gone);
  } catch (error) {
    await running.end();
    const last = error instanceof TroupeError ? "" : errors.trim();
    const words = `${program} could not be used: ${messageOf(error)}\n${last}`.trim();
    throw new TroupeError("teammate_failed", words, { program });
  }
}

async function talk(deps: AgentDeps, running: Running, gone: Promise<never>): Promise<Agent> {
  const { startMs, show } = deps;
  const { output, input } = running;
  if (!input) throw new Error("it has no standard input");
  const hearing = hearAgent(deps);
  const connection = client({ name: "troupe" })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => hearing.asked(params, signal))
    .onNotification(methods.client.session.update, ({ params }) => hearing.updated(params.update))
    .connect(
      messageLines({ output, input, onGarbage: fewTimes((line) => show(`not a message: ${line.slice(0, 200)}`)) }),
    );
  const { agent } = connection;
  const answered = <T>(work: Promise<T>): Promise<T> =>
    work.catch(async (error: unknown) => {
      // Its output closes before its end is known.
      if (!(error instanceof RequestError)) await Promise.race([gone, delay(lastWordsMs, undefined, { ref: false })]);
      throw error;
    });
  const inTime = <T>(work: Promise<T>): Promise<T> =>
    firstOf(
      never,
      () => answered(work),
      () => gone,
      (over) => rejectAfter(startMs, `it did not answer within ${startMs} ms`, over),
    );
  const { sessionId, modes } = await inTime(openedSession(agent, deps));

  return {
    sessionId,
    modes: (modes?.availableModes ?? []).map(({ id }) => id),
    gone,
    async setMode(modeId) {
      await inTime(agent.request(methods.agent.session.setMode, { sessionId, modeId }));
    },
    async prompt(words, signal, graceMs) {
      const turn = hearing.begin();
      const asked = agent.request<PromptResponse>(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: words }],
      });
      const cancelled = async (over: AbortSignal): Promise<never> => {
        await aborted(AbortSignal.any([signal, over]));
        if (over.aborted) throw over.reason;
        turn.giveUp();
        await agent.notify(methods.agent.session.cancel, { sessionId });
        return rejectAfter(graceMs, `it did not end its turn within ${graceMs} ms after it was cancelled`, over);
      };
      try {
        const { stopReason } = await firstOf(
          never,
          () => answered(asked),
          () => gone,
          cancelled,
        );
        return { stop: stopReason, text: turn.text() };
      } catch (error) {
        // It says what went wrong, and goes on.
        if (error instanceof RequestError) return { stop: "error", text: turn.text(), fault: error.message };
        throw error;
      } finally {
        turn.end();
      }
    },
    async close() {
      connection.close();
      await running.end();
    },
  };
}

/** The session of an earlier process where the agent still has it, else a new one. */
async function openedSession(
  agent: ClientConnection["agent"],
  { preset, cwd, server: { name, command, args, environment }, resume: sessionId, show }: AgentDeps,
): Promise<Pick<NewSessionResponse, "sessionId" | "modes">> {
  const { protocolVersion, agentCapabilities } = await agent.request<InitializeResponse>(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  if (protocolVersion !== PROTOCOL_VERSION)
    throw new Error(`it speaks version ${protocolVersion} of ACP, and Troupe version ${PROTOCOL_VERSION}`);
  const { resume, load, new: open } = methods.agent.session;
  const env = Object.entries(environment).map(([variable, value]) => ({ name: variable, value }));
  const place = { cwd, mcpServers: [{ name, command, args: [...args], env }] };
  const before = agentCapabilities?.sessionCapabilities?.resume ? resume : agentCapabilities?.loadSession && load;
  if (sessionId !== undefined && before)
    try {
      const resumed = await agent.request<LoadSessionResponse | null>(before, { ...place, sessionId });
      return { sessionId, modes: resumed?.modes ?? null };
    } catch (error) {
      if (!(error instanceof RequestError) || error.code === unauthenticated) throw wantsLogin(error, preset);
      show(`its earlier session is not resumed, it begins anew: ${error.message}`);
    }
  return agent.request<NewSessionResponse>(open, place).catch((error: unknown) => {
    throw wantsLogin(error, preset);
  });
}

/** What ACP says for an agent without credentials. */
const unauthenticated = -32_000;

function wantsLogin(error: unknown, { command: [program], variables }: AgentDeps["preset"]): unknown {
  if (!(error instanceof RequestError) || error.code !== unauthenticated) return error;
  const found = variables.length === 0 ? "" : `, or set what it needs of ${variables.join(", ")}`;
  return new Error(`${error.message}: log in by hand with ${program} once${found}`);
}

const never = new AbortController().signal;

const mostTold = 20;

/** Passes the first of many things on. */
function fewTimes<T>(tell: (one: T) => void): (one: T) => void {
  let count = 0;
  return (one) => {
    count += 1;
    if (count <= mostTold) tell(one);
  };
}

async function rejectAfter(ms: number, why: string, signal: AbortSignal): Promise<never> {
  await delay(ms, undefined, { ref: false, signal });
  throw new Error(why);
}
