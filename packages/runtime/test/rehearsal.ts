import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseTranscript } from "@troupe/protocol";
import type { Input } from "../src/journal/entry.ts";
import { type Journal, openJournal } from "../src/journal/journal.ts";
import { entriesOf } from "../src/journal/lines.ts";
import { conversationOf } from "../src/journal/state.ts";
import type { Ports, RunLimits } from "../src/loop/ports.ts";
import { run } from "../src/loop/run.ts";
import type { Tool, ToolOutcome } from "../src/loop/tool.ts";
import type { FrozenMessage, FrozenRequest, Prefix } from "../src/model/frozen.ts";
import { prefixHashes } from "../src/model/frozen.ts";
import type { Model } from "../src/model/model.ts";
import { words } from "./entries.ts";

export const identity = { sessionId: "s1", cwd: "/p", version: "test" };
export const prefix: Prefix = {
  key: { betas: [], model: "claude-opus-5-5" },
  tools: ['{"name":"Look"}'],
  system: ['{"type":"text","text":"You are thorough."}'],
};
export const limits: RunLimits = {
  compactAt: 100_000,
  maxFailures: 3,
  maxContinuations: 2,
  maxStopBlocks: 2,
  answerTokens: 100,
  maxAnswerTokens: 1_000,
  graceMs: 5,
};

export const openTranscript = (path: string): Journal =>
  openJournal({ path, identity, now: () => new Date(), newId: randomUUID });

/** What stands in a transcript, entry by entry. */
export const entriesIn = (path: string) => parseTranscript(readFileSync(path, "utf8")).lines.flatMap(entriesOf);

/** What a run is rehearsed with; it outlives the processes that come and go. */
export interface World<Agent = unknown> {
  readonly path: string;
  readonly model: Model;
  readonly tools?: readonly Tool<Agent>[];
  /** Who calls them. */
  readonly agent?: Agent;
  /** Messages that wait on disk, as it were: they come until the journal has them. */
  readonly inbox?: readonly Input[];
  readonly limits?: Partial<RunLimits>;
  readonly mayStop?: Ports["mayStop"];
}

export interface Rehearsal<Agent = unknown> {
  readonly ports: Ports<Agent>;
  readonly requests: readonly FrozenRequest[];
  readonly sleeps: readonly number[];
  /** Says something while the run goes on. */
  tell(input: Input): void;
}

/** Opens the journal as a new process would, on a clock that waits for nothing. */
export function rehearse<Agent>(world: World<Agent>): Rehearsal<Agent> {
  const { path, model, tools = [], inbox = [], mayStop = async () => ({ stops: true }) } = world;
  const known = new Set(entriesInOrNone(path).flatMap((entry) => (entry.kind === "input" ? [entry.input.id] : [])));
  const journal = openTranscript(path);
  const arrived = inbox.filter(({ id }) => !known.has(id));
  const urgent = new Set<() => void>();
  const requests: FrozenRequest[] = [];
  const sleeps: number[] = [];
  const ports: Ports<Agent> = {
    journal,
    tools,
    agent: world.agent as Agent,
    model(request, signal) {
      requests.push(request);
      return model(request, signal);
    },
    inputs: {
      take: () => arrived.splice(0).map((input) => ({ input })),
      whenUrgent: () => new Promise((resolve) => urgent.add(resolve)),
    },
    prefix: async () => prefix,
    mayStop,
    sleep: async (ms) => void (ms > 0 && sleeps.push(ms)),
    newId: randomUUID,
    limits: { ...limits, ...world.limits },
  };
  const tell = (input: Input) => {
    arrived.push(input);
    if (input.priority === "now") for (const resolve of urgent) resolve();
  };
  return { ports, requests, sleeps, tell };
}

function entriesInOrNone(path: string): ReturnType<typeof entriesIn> {
  try {
    return entriesIn(path);
  } catch {
    return [];
  }
}

/** Reads a run to its end, or stops it after so many events. */
export async function play<Agent>(
  { ports }: Rehearsal<Agent>,
  signal = new AbortController().signal,
  stopAfter = Number.POSITIVE_INFINITY,
) {
  const events = [];
  const running = run(ports, signal);
  for (;;) {
    const next = await running.next();
    if (next.done) return { events, terminal: next.value, isOver: true };
    events.push(next.value);
    if (events.length < stopAfter) continue;
    await running.return(undefined);
    return { events, terminal: undefined, isOver: false };
  }
}

export const human = (id: string, priority: Input["priority"] = "next", text = id): Input => ({
  id,
  priority,
  origin: { kind: "human" },
  content: [words(text)],
});

export const tool = (
  name: string,
  run: (input: unknown, signal: AbortSignal, call: string) => Promise<ToolOutcome> | ToolOutcome,
  more: Partial<Tool> = {},
): Tool => ({
  definition: { name, description: name, input_schema: { type: "object" } },
  isReplayable: false,
  isConcurrent: () => false,
  run: async (input, { signal, call }) => run(input, signal, call),
  ...more,
});

export const ok = (text: string): ToolOutcome => ({ content: [words(text)] });

/** A conversation as plain data, without the names that differ from run to run. */
export const talkOf = (messages: readonly FrozenMessage[]) =>
  messages.map(({ role, blocks }) => ({ role, content: blocks.map((block) => JSON.parse(block)) }));

export const talkIn = <Agent>({ ports }: Rehearsal<Agent>) => talkOf(conversationOf(ports.journal.state()));

/** Does each request begin with all that the one before it sent? */
export const isPrefixChain = (requests: readonly FrozenRequest[]): boolean =>
  requests.every((request, at) => {
    const before = requests[at - 1];
    const hashes = prefixHashes(request);
    return before === undefined || prefixHashes(before).every((hash, position) => hash === hashes[position]);
  });
