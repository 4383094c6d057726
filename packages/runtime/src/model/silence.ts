/**
 * How long a call of the model may be silent, in milliseconds, before it has failed like one whose
 * connection broke.
 */
export interface Patience {
  /**
   * Until the first event of the answer: the API may let a request wait, and reads the whole prompt
   * first.
   */
  readonly beginMs: number;
  /**
   * From one event to the next; a ping is one, so that only a dead connection is silent for long.
   */
  readonly silentMs: number;
  /**
   * From one event to the next that is no ping: the API holds a long input of a tool back until it
   * is whole.
   */
  readonly contentMs: number;
}

export const usualPatience: Patience = { beginMs: 180_000, silentMs: 90_000, contentMs: 600_000 };

/** An answer that is whole does not wait for long for a server that does not close its stream. */
const closeMs = 1_000;

/** Watches one call of the model. */
export interface Silence {
  /** Fires when the call was silent for too long; the reason is an error that says for how long. */
  readonly signal: AbortSignal;
  heard(event: "ping" | "content" | "last"): void;
  end(): void;
}

export function watchSilence({ beginMs, silentMs, contentMs }: Patience): Silence {
  const over = new AbortController();
  const timers = new Map<"any" | "content", NodeJS.Timeout>();
  let isBegun = false;

  function wait(what: "any" | "content", ms: number, words: string): void {
    clearTimeout(timers.get(what));
    const fire = () => over.abort(new Error(`the model ${words} for ${ms / 1_000} s, so the request was given up`));
    timers.set(what, setTimeout(fire, ms));
  }

  wait("any", beginMs, "started no answer");
  return {
    signal: over.signal,
    heard(event) {
      if (event === "last") wait("any", closeMs, "left its stream open");
      else if (isBegun) timers.get("any")?.refresh();
      else wait("any", silentMs, "sent nothing more, not even a ping,");
      if (!isBegun) wait("content", contentMs, "sent nothing but pings");
      else if (event === "content") timers.get("content")?.refresh();
      isBegun = true;
    },
    end() {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
