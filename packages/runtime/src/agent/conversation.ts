import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { asleep } from "@troupe/store";
import type { ForkPoint, Stored, Terminal } from "../journal/entry.ts";
import { type Journal, type JournalDeps, openJournal } from "../journal/journal.ts";
import type { Identity } from "../journal/lines.ts";
import { createAbort } from "../loop/abort.ts";
import { compactAtWish } from "../loop/compact.ts";
import type { Inputs, Ports, RunLimits } from "../loop/ports.ts";
import { type RunEvent, run } from "../loop/run.ts";
import type { Judge, Tool } from "../loop/tool.ts";
import { answerLimits, modelInfo } from "../model/catalog.ts";
import { type CacheKey, freeze, type Prefix } from "../model/frozen.ts";
import type { Block, Model } from "../model/model.ts";
import { compactionThreshold } from "../prompt/context.ts";
import { type CommandDraft, createQueue, type Queue, textBlocks } from "../queue.ts";

/** An agent's conversation, which is a file, and the way to go on with it. */
export interface Conversation {
  readonly journal: Journal;
  readonly queue: Queue;
  /** Puts words into the queue; they are a person's unless it is said whose. */
  tell(text: string, from?: Partial<Omit<CommandDraft, "content">>): void;
  /**
   * Goes on until the agent ends its turn or has nothing to do; starting it again goes on from
   * there, also in another process.
   */
  run(signal?: AbortSignal): AsyncGenerator<RunEvent, Terminal | undefined>;
  /**
   * Replaces the conversation by a summary while it does not run, with a person's wishes for it;
   * gives what was written down, or why it is as it was.
   */
  compact(signal: AbortSignal, words?: string): Promise<Stored | string>;
  close(): void;
}

export interface ConversationDeps<Agent> {
  /** Where the conversation is written, and read again after a crash. */
  readonly transcript: string;
  /** That of the transcript, where it is open already. */
  readonly journal?: Journal;
  readonly model: Model;
  /** Of its first request, and of the limits of each run. */
  readonly key: CacheKey;
  readonly switchedTo?: Ports["switchedTo"];
  /** Asked for once in the life of a conversation. */
  readonly system: () => Promise<readonly Block[]> | readonly Block[];
  /**
   * A function is asked once, when they are first needed: some come from elsewhere and take their
   * time.
   */
  readonly tools?: readonly Tool<Agent>[] | (() => readonly Tool<Agent>[]);
  readonly whyLacking?: Ports["whyLacking"];
  /** The agent that its tools are told of. */
  readonly agent: Agent;
  readonly limits?: Partial<RunLimits>;
  /** Fields of the session in every line; its id is the name of the transcript by default. */
  readonly identity?: Partial<Identity>;
  /** The agent's id in the queue; the main conversation has none. */
  readonly id?: string;
  readonly queue?: Queue;
  /** Where its inputs come from, if not from the queue alone. */
  readonly inputs?: Inputs;
  readonly fork?: ForkPoint;
  readonly lease?: JournalDeps["lease"];
  readonly mayStop?: Ports["mayStop"];
  readonly mayCompact?: Ports["mayCompact"];
  readonly compacted?: Ports["compacted"];
  readonly judge?: Judge;
  readonly now?: () => Date;
  readonly newId?: () => string;
}

/** Agents of a session share their tools, and so the text of each. */
const texts = new WeakMap<object, string>();

function frozenOnce(definition: Tool["definition"]): string {
  const text = texts.get(definition) ?? freeze(definition);
  texts.set(definition, text);
  return text;
}

const usualLimits = { maxFailures: 10, maxContinuations: 3, maxStopBlocks: 8, graceMs: 2_000 };

function modelLimits(model: string): Pick<RunLimits, "compactAt" | "answerTokens" | "maxAnswerTokens"> {
  const info = modelInfo(model);
  return { compactAt: compactionThreshold(info).tokens, ...answerLimits(info) };
}

/**
 * Puts the parts together with what most people want; the agent may be left out where no tool asks
 * for it.
 */
export function openConversation<Agent>(deps: ConversationDeps<Agent>): Conversation;
export function openConversation(deps: Omit<ConversationDeps<undefined>, "agent">): Conversation;
export function openConversation<Agent>(
  deps: Omit<ConversationDeps<Agent>, "agent"> & { agent?: Agent },
): Conversation {
  const { now = () => new Date(), newId = randomUUID, tools: given = [], id, fork } = deps;
  const queue = deps.queue ?? createQueue({ newId });
  const sessionId = basename(deps.transcript, ".jsonl");
  const identity = { sessionId, cwd: ".", version: "troupe", ...(id === undefined ? {} : { agentId: id }) };
  const journal =
    deps.journal ??
    openJournal({
      path: deps.transcript,
      identity: { ...identity, ...deps.identity },
      now,
      newId,
      ...(fork ? { fork } : {}),
      ...(deps.lease && { lease: deps.lease }),
    });
  let known: readonly Tool<Agent>[] | undefined;
  const tools = () => {
    known ??= typeof given === "function" ? given() : given;
    return known;
  };
  const prefix = async (): Promise<Prefix> => ({
    key: deps.key,
    tools: tools().map(({ definition }) => frozenOnce(definition)),
    system: (await deps.system()).map(freeze),
  });
  const ports: Ports<Agent> = {
    journal,
    model: deps.model,
    get tools() {
      return tools();
    },
    agent: deps.agent as Agent,
    whyLacking: deps.whyLacking,
    inputs: deps.inputs ?? queue.inputs(id),
    prefix,
    switchedTo: deps.switchedTo,
    mayStop: deps.mayStop ?? (async () => ({ stops: true })),
    sleep: asleep,
    ...(deps.judge ? { judge: deps.judge } : {}),
    ...(deps.mayCompact ? { mayCompact: deps.mayCompact } : {}),
    ...(deps.compacted ? { compacted: deps.compacted } : {}),
    newId,
    get limits() {
      return { ...usualLimits, ...modelLimits(deps.key.model), ...deps.limits };
    },
  };
  const to = id === undefined ? {} : { agent: id };
  return {
    journal,
    queue,
    tell: (text, from) =>
      void queue.enqueue({ mode: "prompt", origin: { kind: "human" }, ...to, ...from, content: textBlocks(text) }),
    run: (signal = createAbort().signal) => run(ports, signal),
    compact: (signal, words) => compactAtWish(ports, signal, run, words),
    close: () => journal.close(),
  };
}
