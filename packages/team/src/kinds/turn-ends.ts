import { EventEmitter, once } from "node:events";
import type { TurnEnd } from "../member.ts";

/** Ends of turns, each kept until it is asked for. */
export interface TurnEnds {
  push(end: TurnEnd): void;
  /** Undefined once the signal has fired or nothing comes any more. */
  next(signal: AbortSignal): Promise<TurnEnd | undefined>;
  /** Nothing comes any more. */
  close(): void;
  isClosed(): boolean;
}

export function createTurnEnds(): TurnEnds {
  const waiting: TurnEnd[] = [];
  const events = new EventEmitter();
  const closing = new AbortController();
  return {
    push(end) {
      waiting.push(end);
      events.emit("end");
    },
    async next(signal) {
      const either = AbortSignal.any([signal, closing.signal]);
      try {
        while (waiting.length === 0) await once(events, "end", { signal: either });
      } catch {}
      return either.aborted ? undefined : waiting.shift();
    },
    close: () => closing.abort(),
    isClosed: () => closing.signal.aborted,
  };
}
