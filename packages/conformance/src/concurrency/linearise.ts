import type { CallRecord } from "../target.ts";

/** A call of a history, or an observation that the suite made itself between calls. */
export type Operation = Pick<CallRecord, "op" | "args" | "call" | "outcome"> & {
  /** Absent for a call without an answer: it took effect some time after it began, or never. */
  readonly ret?: number;
  readonly reply?: unknown;
};

/** The behaviour that a single process would see. */
export interface Model<State> {
  readonly initial: State;
  /** The next state if the operation gives this answer in this state; undefined if it does not. */
  step(state: State, operation: Operation): State | undefined;
  /** Equal for equal states. */
  keyOf(state: State): string;
}

export type SearchResult =
  | { readonly verdict: "explained" }
  /**
   * How many calls the best order explains, its final state, and the calls that cannot come next.
   */
  | {
      readonly verdict: "unexplained";
      readonly explained: number;
      readonly state: string;
      readonly next: readonly Operation[];
    }
  | { readonly verdict: "undecided"; readonly states: number };

export interface SearchLimits {
  readonly ms: number;
  readonly states: number;
}

const defaultLimits: SearchLimits = { ms: 2_000, states: 2 ** 20 };

/** A part of the history put in order: everything that ended before `low`, and what besides. */
interface Configuration<State> {
  readonly low: number;
  readonly above: readonly number[];
  readonly unheard: readonly number[];
  readonly state: State;
}

/**
 * Looks for an order of all calls in which each answer is right and no call comes before one that
 * had ended when it began: the search of Wing and Gong, with Lowe's memory of the configurations
 * that led nowhere.
 */
export function linearise<State>(
  operations: readonly Operation[],
  model: Model<State>,
  limits: SearchLimits = defaultLimits,
): SearchResult {
  const heard = operations.filter(({ ret }) => ret !== undefined).sort((a, b) => a.call - b.call);
  const unheard = operations.filter(({ ret }) => ret === undefined);
  const end = performance.now() + limits.ms;
  const seen = new Set<string>();
  const stack: Configuration<State>[] = [{ low: 0, above: [], unheard: [], state: model.initial }];
  let best = { explained: -1, state: "", next: [] as readonly Operation[] };

  for (let at = stack.pop(); at; at = stack.pop()) {
    if (at.low === heard.length) return { verdict: "explained" };
    const state = model.keyOf(at.state);
    const key = `${at.low};${at.above};${at.unheard};${state}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > limits.states || (seen.size % 64 === 0 && performance.now() > end)) {
      return { verdict: "undecided", states: seen.size };
    }
    const next = candidates(heard, at);
    const explained = at.low + at.above.length;
    if (explained > best.explained) {
      best = { explained, state, next: next.found.map((index) => heard[index] as Operation) };
    }
    for (const [index, operation] of unheard.entries()) {
      if (at.unheard.includes(index) || operation.call > next.before) continue;
      const state = model.step(at.state, operation);
      if (state !== undefined) stack.push({ ...at, unheard: inserted(at.unheard, index), state });
    }
    // The one that ended first is tried first: it is on top of the stack.
    for (const index of next.found) {
      const state = model.step(at.state, heard[index] as Operation);
      if (state !== undefined) stack.push({ ...advanced(at, index), unheard: at.unheard, state });
    }
  }
  return { verdict: "unexplained", ...best };
}

/**
 * The calls that may come next: those that began before the first of the rest ended; that one is
 * last.
 */
function candidates(
  heard: readonly Operation[],
  { low, above }: Pick<Configuration<unknown>, "low" | "above">,
): { found: readonly number[]; before: number } {
  const open: number[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (let index = low; index < heard.length; index += 1) {
    const { call, ret } = heard[index] as Operation & { ret: number };
    if (call > before) break;
    if (above.includes(index)) continue;
    open.push(index);
    before = Math.min(before, ret);
  }
  const retOf = (index: number) => heard[index]?.ret ?? 0;
  const found = open.filter((index) => (heard[index]?.call ?? 0) <= before).sort((a, b) => retOf(b) - retOf(a));
  return { found, before };
}

function advanced({ low, above }: Pick<Configuration<unknown>, "low" | "above">, index: number) {
  const all = new Set(above).add(index);
  let next = low;
  while (all.delete(next)) next += 1;
  return { low: next, above: [...all].sort((a, b) => a - b) };
}

const inserted = (indexes: readonly number[], index: number): readonly number[] =>
  [...indexes, index].sort((a, b) => a - b);
