import { type AbortReason, abortReasons } from "../journal/entry.ts";

/**
 * One node of the tree of aborts: a session ends its agents, an agent the ones it waits for, and
 * each hands its reason down.
 */
export interface Abort {
  readonly signal: AbortSignal;
  abort(reason: AbortReason): void;
}

/** Without a parent it ends for reasons of its own only, as an agent in the background does. */
export function createAbort(parent?: AbortSignal): Abort {
  const own = new AbortController();
  const signal = parent ? AbortSignal.any([parent, own.signal]) : own.signal;
  return { signal, abort: (reason) => own.abort(reason) };
}

/** A signal that fired without a reason of ours was fired by a person. */
export const reasonOf = ({ reason }: AbortSignal): AbortReason =>
  abortReasons.find((known) => known === reason) ?? "user_interrupt";
