import { randomUUID } from "node:crypto";
import { asleep } from "@troupe/store";
import type { Stored, Terminal } from "../journal/entry.ts";
import { branched } from "../journal/fork.ts";
import type { Journal } from "../journal/journal.ts";
import { conversationOf, reduce, type State } from "../journal/state.ts";
import { answerLimits, modelInfo } from "../model/catalog.ts";
import type { BlockPosition, FrozenMessage, Prefix } from "../model/frozen.ts";
import {
  type Answer,
  addUsage,
  type Block,
  type Model,
  type ModelFailure,
  noUsage,
  type Usage,
} from "../model/model.ts";
import { createAbort } from "./abort.ts";
import type { Ports, RunLimits } from "./ports.ts";
import type { Judge, Tool } from "./tool.ts";

/**
 * What a side conversation shares with the one it leaves, byte for byte, so that it reads what that
 * one has in the cache.
 */
export interface CacheSafeParams {
  /** Model, tools and system prompt, as they were sent. */
  readonly prefix: Prefix;
  readonly messages: readonly FrozenMessage[];
  /** The last block of the last request that was answered. */
  readonly sentEnd?: BlockPosition | undefined;
}

export interface ForkedAgentDeps<Agent = unknown> {
  readonly cacheSafeParams: CacheSafeParams;
  /** What it is told, behind all that was said before. */
  readonly promptMessages: readonly Block[];
  /** Decides about each call; without it none may run. */
  readonly canUseTool?: Judge["before"] | undefined;
  readonly model: Model;
  /** Those of its calls that may run; the model knows the tools of the prefix. */
  readonly tools?: readonly Tool<Agent>[] | undefined;
  /** The agent that its tools are told of. */
  readonly agent?: Agent | undefined;
  readonly limits?: Partial<RunLimits> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Resolves when something cannot wait for it to finish, which ends it. */
  readonly whenUrgent?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly newId?: (() => string) | undefined;
  readonly sleep?: Ports["sleep"] | undefined;
}

/** What a side conversation came to. */
export interface ForkedAgentResult {
  /** Absent where something urgent ended it. */
  readonly terminal: Terminal | undefined;
  readonly answers: readonly Answer[];
  /** Why a request of it had no answer: the first time. */
  readonly failure: ModelFailure | undefined;
  /** What was said in it, its prompt first. */
  readonly messages: readonly FrozenMessage[];
  readonly usage: Usage;
}

/** What a side conversation of this one shares with it; undefined before its first request. */
export function cacheSafeParamsOf(state: State): CacheSafeParams | undefined {
  const { prefix, calls, sentEnd } = state;
  if (!prefix) return undefined;
  const messages = conversationOf(state);
  // Behind calls without results the API takes no words.
  const isOpen = calls.some(({ result }) => result === undefined);
  const newest = messages.findLastIndex(({ role }) => role === "assistant");
  return { prefix, messages: isOpen ? messages.slice(0, newest) : messages, sentEnd: isOpen ? undefined : sentEnd };
}

/** The loop, as it is handed on to what runs within a step of it. */
export type Drive = (
  ports: Ports,
  signal: AbortSignal,
) => AsyncGenerator<{ readonly kind: string; readonly entry?: Stored }, Terminal | undefined>;

const usualLimits = {
  compactAt: Number.POSITIVE_INFINITY,
  maxFailures: 10,
  maxContinuations: 3,
  maxStopBlocks: 0,
  graceMs: 2_000,
};

/** Runs the loop on a branch of a conversation that stands in no file and in no queue. */
export async function driveForked<Agent>(drive: Drive, deps: ForkedAgentDeps<Agent>): Promise<ForkedAgentResult> {
  const { cacheSafeParams, promptMessages, canUseTool, tools = [], limits, newId = randomUUID } = deps;
  const { signal = createAbort().signal, whenUrgent = () => new Promise<void>(() => {}), sleep = asleep } = deps;
  const { prefix, messages: past } = cacheSafeParams;
  const journal = onBranch(cacheSafeParams, newId);
  const input = { id: newId(), priority: "next", origin: { kind: "caller" }, content: promptMessages } as const;
  const unheard = [{ input }];
  const answers: Answer[] = [];
  let failure: ModelFailure | undefined;
  const refuse: Judge["before"] = async () => ({
    runs: false,
    message: "No tool may be called here: answer in words.",
  });
  const ports: Ports<Agent | undefined> = {
    journal,
    model: deps.model,
    tools: tools as readonly Tool<Agent | undefined>[],
    agent: deps.agent,
    judge: { before: canUseTool ?? refuse },
    inputs: { take: () => unheard.splice(0), whenUrgent },
    prefix: async () => prefix,
    mayStop: async () => ({ stops: true }),
    mayCompact: async () => ({ compacts: false, because: "the conversation is too long for a word beside it" }),
    sleep,
    newId,
    limits: { ...usualLimits, ...answerLimits(modelInfo(prefix.key.model)), ...limits },
  };
  const events = drive(ports as Ports, signal);
  let terminal: Terminal | undefined;
  for (let step = await events.next(); ; step = await events.next()) {
    if (step.done) {
      terminal = step.value;
      break;
    }
    const { entry } = step.value;
    if (entry?.kind === "answered") answers.push(entry.answer);
    if (entry?.kind === "failed") failure ??= entry.failure;
    if (failure?.kind !== "superseded") continue;
    await events.return(undefined);
    break;
  }
  return {
    terminal,
    answers,
    failure,
    messages: conversationOf(journal.state()).slice(past.at(-1)?.role === "user" ? past.length - 1 : past.length),
    usage: answers.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
  };
}

function onBranch(from: CacheSafeParams, newId: () => string): Journal {
  let state = branched(from);
  return {
    state: () => state,
    append(entry, id = newId()) {
      const stored: Stored = { ...entry, id, at: new Date(0).toISOString() };
      state = reduce(state, stored);
      return stored;
    },
    problems: [],
    close() {},
  };
}
