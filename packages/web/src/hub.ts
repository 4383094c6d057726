import { setTimeout as delay } from "node:timers/promises";
import type { Source } from "./source.ts";

/** Hints to pages that something may be another: one watch a team, however many look at it. */
export interface Hub {
  /** Calls at each change of the team, of all teams without a name, until it is left. */
  follow(team: string | undefined, hint: () => void): () => void;
}

/** A watch that ended, since its team is gone, is begun anew while somebody looks. */
const restMs = 1_000;

export function openHub(source: Pick<Source, "changes">, closing: AbortSignal): Hub {
  const feeds = new Map<string | undefined, { readonly hints: Set<() => void>; readonly over: AbortController }>();

  async function run(team: string | undefined, hints: ReadonlySet<() => void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const _ of source.changes(team, signal)) for (const hint of hints) hint();
      } catch {
        // The page asks for the team then, and hears what is wrong.
      }
      for (const hint of hints) hint();
      await delay(restMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  return {
    follow(team, hint) {
      const known = feeds.get(team);
      const feed = known ?? { hints: new Set(), over: new AbortController() };
      feed.hints.add(hint);
      if (!known) {
        feeds.set(team, feed);
        void run(team, feed.hints, AbortSignal.any([feed.over.signal, closing]));
      }
      return () => {
        feed.hints.delete(hint);
        if (feed.hints.size > 0 || feeds.get(team) !== feed) return;
        feeds.delete(team);
        feed.over.abort();
      };
    },
  };
}
