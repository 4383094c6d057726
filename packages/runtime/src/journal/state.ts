import { emptyLedger, foldLedger, type LedgerState } from "@troupe/team";
import {
  type BlockPosition,
  type FrozenMessage,
  freeze,
  freezeAll,
  type Prefix,
  withoutThinking,
} from "../model/frozen.ts";
import { addUsage, type Block, type ModelFailure, noUsage, sentTokens, type Usage } from "../model/model.ts";
import { type Chain, link, messagesOf, spoken } from "./chain.ts";
import type { AbortReason, Entry, Input, Stored, Terminal } from "./entry.ts";
import { bearsForkTag } from "./fork-tag.ts";
import { nothingSpent, type Spent, spentAfter } from "./spent.ts";

/** A tool call of the newest answer. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly hasStarted: boolean;
  readonly isReplayable: boolean;
  /** Its input did not come whole, so it is answered and not run. */
  readonly isCut?: true;
  /** The frozen result, once there is one. */
  readonly result?: string;
}

/** An agent, as the fold of its journal. */
export interface State {
  readonly prefix: Prefix | undefined;
  /**
   * It began as a copy of another conversation, here or in another program whose tag stands in it,
   * and must not be copied again.
   */
  readonly isFork: boolean;
  /** The conversation up to and with the newest answer. */
  readonly past: Chain | undefined;
  /** The calls of the newest answer, in its order. */
  readonly calls: readonly Call[];
  /** Where the calls of each id stand among them: an answer may have thousands. */
  readonly callsAt: ReadonlyMap<string, readonly number[]>;
  /** Blocks that the model sees next besides the results of its calls. */
  readonly said: readonly string[];
  /** Accepted inputs that the model has not seen. */
  readonly waiting: readonly Input[];
  /** The id of the answer to the newest request; calls of another answer may have run elsewhere. */
  readonly asked: string | undefined;
  /** How the newest answer ended, while nothing was said after it. */
  readonly answer: { readonly id: string; readonly stopReason: string; readonly text: string } | undefined;
  /** Why the newest request has no answer. */
  readonly failure: (ModelFailure & { readonly during: "answer" | "summary" }) | undefined;
  /** Failures since the last answer. */
  readonly failures: number;
  /** The last block of the last request that was answered. */
  readonly sentEnd: BlockPosition | undefined;
  /** Answers since the run began. */
  readonly turns: number;
  /** Answers in a row that were cut or empty, since something new was said to the model. */
  readonly continuations: number;
  /** Compactions since the model got further. */
  readonly compactions: number;
  /** Times in a row that a hook kept the agent from stopping. */
  readonly stopBlocks: number;
  readonly mayStop: boolean;
  /** Its ledger as a member of a team. */
  readonly ledger: LedgerState;
  readonly aborted: AbortReason | undefined;
  readonly ended: Terminal | undefined;
  /** Tokens since the run began. */
  readonly usage: Usage;
  /** What all of its answers and summaries have come to. */
  readonly spent: Spent;
  /** The context in tokens at the last answer, and the estimate of what was added since. */
  readonly tokens: number;
  /** The newest line of the conversation, which the next one names as its parent. */
  readonly lastLine: string | undefined;
}

export const emptyState: State = {
  prefix: undefined,
  isFork: false,
  past: undefined,
  calls: [],
  callsAt: new Map(),
  said: [],
  waiting: [],
  asked: undefined,
  answer: undefined,
  failure: undefined,
  failures: 0,
  sentEnd: undefined,
  turns: 0,
  continuations: 0,
  compactions: 0,
  stopBlocks: 0,
  mayStop: false,
  ledger: emptyLedger,
  aborted: undefined,
  ended: undefined,
  usage: noUsage,
  spent: nothingSpent,
  tokens: 0,
  lastLine: undefined,
};

/** The conversation as the model would be sent it now. */
export function conversationOf(state: State): readonly FrozenMessage[] {
  const next = pendingBlocks(state);
  const past = messagesOf(state.past);
  return next.length > 0 ? [...past, { role: "user", blocks: next }] : past;
}

/** Blocks the model has not seen: results first, in the order of its calls, as the API demands. */
const pendingBlocks = ({ calls, said }: State): readonly string[] => [
  ...calls.flatMap(({ result }) => (result === undefined ? [] : [result])),
  ...said,
];

export const hasUnseen = (state: State): boolean => pendingBlocks(state).length > 0;

/** A token of text is about four bytes; the next answer replaces the estimate by a count. */
const estimateTokens = (blocks: readonly string[]): number =>
  Math.ceil(blocks.reduce((sum, block) => sum + Buffer.byteLength(block), 0) / 4);

const isConversation = new Set<Entry["kind"]>(["said", "answered", "result", "compacted"]);

/** Pure and total: an entry that fits nowhere changes nothing. */
export function reduce(state: State, entry: Stored): State {
  const next = fold(state, entry);
  if (!isConversation.has(entry.kind)) return next;
  return { ...next, lastLine: entry.id, spent: spentAfter(state.spent, entry, state.prefix?.key.model) };
}

function fold(state: State, entry: Stored): State {
  switch (entry.kind) {
    case "opened":
      return state;
    case "prefix":
      return prefixed(state, entry.prefix);
    case "input":
      return state.waiting.some(({ id }) => id === entry.input.id)
        ? state
        : { ...state, ledger: delivered(state.ledger, entry.input), waiting: [...state.waiting, entry.input] };
    case "said":
      return entry.inputs.length > 0
        ? { ...told(state, entry.content), ...fresh(state, entry.inputs) }
        : { ...told(state, entry.content), continuations: state.continuations + 1 };
    case "asked":
      return { ...state, asked: entry.result, failure: undefined };
    case "answered":
      return answered(state, entry);
    case "failed":
      return {
        ...state,
        failure: { ...entry.failure, during: entry.during },
        failures: entry.failure.kind === "superseded" ? state.failures : state.failures + 1,
      };
    case "called":
      return withCall(state, entry.call, { hasStarted: true, isReplayable: entry.isReplayable });
    case "result":
      return resulted(state, entry);
    case "compacted":
      return compacted(state, entry);
    case "stop_checked":
      return entry.verdict.stops
        ? { ...state, mayStop: true, stopBlocks: 0 }
        : { ...told(state, [{ type: "text", text: entry.verdict.because }]), stopBlocks: state.stopBlocks + 1 };
    case "ledger":
      return { ...state, ledger: foldLedger(state.ledger, entry.entry) };
    case "aborted":
      return { ...state, aborted: entry.reason };
    case "ended":
      return { ...state, ended: entry.terminal, aborted: undefined, failure: undefined, failures: 0 };
  }
}

/** Another model goes on without what the one before it has thought, and without its cache. */
function prefixed(state: State, prefix: Prefix): State {
  if (!state.prefix || state.prefix.key.model === prefix.key.model) return { ...state, prefix };
  const said = withoutThinking(messagesOf(state.past));
  return { ...state, prefix, past: said.reduce<Chain | undefined>(link, undefined), sentEnd: undefined };
}

/** Mail of a transcript that is older than ledgers was delivered under the id of its input. */
function delivered(ledger: LedgerState, { id, origin, delivered }: Input): LedgerState {
  if (delivered) return foldLedger(ledger, delivered);
  return origin?.kind === "teammate" ? foldLedger(ledger, { kind: "delivered", key: id, from: origin.name }) : ledger;
}

/** Something is said to the model. */
function told(state: State, content: readonly Block[]): State {
  const blocks = freezeAll(content);
  if (blocks.length === 0) return state;
  return {
    ...state,
    isFork: state.isFork || content.some(bearsForkTag),
    said: [...state.said, ...blocks],
    answer: undefined,
    mayStop: false,
    tokens: state.tokens + estimateTokens(blocks),
  };
}

/** The parts that begin anew when another than ourselves speaks; after an end, a run begins. */
const fresh = (state: State, inputs: readonly string[]): Partial<State> => ({
  waiting: state.waiting.filter(({ id }) => !inputs.includes(id)),
  continuations: 0,
  compactions: 0,
  stopBlocks: 0,
  ...(state.ended ? { ended: undefined, turns: 0, usage: noUsage } : {}),
  ...(state.failure?.kind === "superseded" ? { failure: undefined } : {}),
});

function answered(state: State, { answer, id }: Extract<Stored, { kind: "answered" }>): State {
  const { content, cut = [], written, stopReason, usage } = answer;
  const isOwn = state.asked === id;
  const sent = pendingBlocks(isOwn || hasUnseen(state) ? { ...state, calls: state.calls.map(settled) } : state);
  const before = sent.length > 0 ? link(state.past, { role: "user", blocks: sent }) : state.past;
  const isCutCall = new Set(cut);
  const calls = content.flatMap(callOf).map((call) => ({
    ...call,
    hasStarted: !isOwn,
    ...(isCutCall.has(call.id) && { isCut: true as const }),
  }));
  const text = content.flatMap((block) => (block.type === "text" ? [String(block["text"])] : [])).join("");
  const isCut = stopReason === "max_tokens" || calls.every((call) => call.isCut);
  return {
    ...state,
    past: spoken(before, freezeAll(content, written)),
    ...placed([...(sent.length > 0 ? [] : state.calls), ...calls]),
    said: [],
    asked: undefined,
    answer: { id, stopReason, text },
    failure: undefined,
    failures: 0,
    sentEnd: before && { message: before.length - 1, block: before.message.blocks.length - 1 },
    turns: state.turns + 1,
    continuations: calls.length === 0 ? state.continuations : isCut ? state.continuations + 1 : 0,
    compactions: stopReason === "model_context_window_exceeded" ? state.compactions : 0,
    usage: addUsage(state.usage, usage),
    tokens: sentTokens(usage) + usage.output,
  };
}

/** A call whose result was lost with its line: without one, no request would be accepted. */
const settled = (call: Call): Call => ({
  ...call,
  result: call.result ?? resultOf(call.id, [{ type: "text", text: "The result of this call was lost." }], true),
});

const callOf = ({ type, id, name, input }: Block): Call[] =>
  type === "tool_use" && typeof id === "string"
    ? [{ id, name: String(name), input, hasStarted: false, isReplayable: false }]
    : [];

function placed(calls: readonly Call[]): Pick<State, "calls" | "callsAt"> {
  const callsAt = new Map<string, number[]>();
  for (const [at, { id }] of calls.entries()) {
    const places = callsAt.get(id);
    if (places) places.push(at);
    else callsAt.set(id, [at]);
  }
  return { calls, callsAt };
}

function withCall(state: State, id: string, change: Partial<Call>): State {
  const places = state.callsAt.get(id) ?? [];
  if (places.length === 0) return state;
  const calls = [...state.calls];
  for (const at of places) calls[at] = { ...(calls[at] as Call), ...change };
  return { ...state, calls };
}

function resulted(state: State, { call, content, isError }: Extract<Stored, { kind: "result" }>): State {
  const [first] = state.callsAt.get(call) ?? [];
  if (first === undefined || state.calls[first]?.result !== undefined) return state;
  const result = resultOf(call, content, isError);
  return { ...withCall(state, call, { result }), tokens: state.tokens + estimateTokens([result]) };
}

const resultOf = (call: string, content: readonly Block[], isError: boolean): string =>
  freeze({ type: "tool_result", tool_use_id: call, content, ...(isError ? { is_error: true } : {}) });

/** The summary replaces what was said; what waits and what the model has not answered stays. */
function compacted(state: State, { summary, usage }: Extract<Stored, { kind: "compacted" }>): State {
  const said = [...freezeAll([{ type: "text", text: summary }]), ...state.said];
  return {
    ...state,
    past: undefined,
    ...placed([]),
    said,
    answer: undefined,
    failure: undefined,
    sentEnd: undefined,
    compactions: state.compactions + 1,
    usage: addUsage(state.usage, usage),
    tokens: estimateTokens(said),
  };
}
