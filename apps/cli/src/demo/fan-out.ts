import { costOf, type SessionEvent } from "@troupe/runtime";

/** What agents of one kind cost together. */
export interface Cost {
  readonly of: "forks" | "agents";
  readonly agents: number;
  readonly requests: number;
  /** Tokens that were sent, and how many of them came from the cache. */
  readonly sent: number;
  readonly cached: number;
  /** In US dollars; absent if the price of the model is unknown. */
  readonly dollars?: number;
}

/** Adds up what the agents of a session cost, forks and others apart. */
export function createFanOut() {
  /** The descriptions of calls that asked for a fork. */
  const forks = new Set<string>();
  const costs = new Map<string, { of: Cost["of"]; requests: number; sent: number; cached: number; dollars?: number }>();

  return {
    add({ agent, ...event }: SessionEvent): void {
      if (event.kind !== "entry" || event.entry.kind !== "answered") return;
      const { usage, model, content } = event.entry.answer;
      if (!agent) {
        for (const { type, name, input } of content)
          if (type === "tool_use" && name === "Agent" && !("subagent_type" in (input as object)))
            forks.add(String((input as { readonly description?: unknown }).description));
        return;
      }
      const { requests, sent, cached, dollars, of } = costs.get(agent.id) ?? {
        of: forks.delete(agent.description) ? "forks" : "agents",
        requests: 0,
        sent: 0,
        cached: 0,
        dollars: 0,
      };
      const price = costOf(usage, model);
      costs.set(agent.id, {
        of,
        requests: requests + 1,
        sent: sent + usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
        cached: cached + usage.cacheRead,
        ...(price !== undefined && dollars !== undefined && { dollars: dollars + price }),
      });
    },
    costs(): Cost[] {
      return (["forks", "agents"] as const).flatMap((of) => {
        const all = [...costs.values()].filter((one) => one.of === of);
        if (all.length === 0) return [];
        const sum = (field: "requests" | "sent" | "cached") => all.reduce((total, one) => total + one[field], 0);
        const known = all.flatMap(({ dollars }) => (dollars === undefined ? [] : [dollars]));
        return {
          of,
          agents: all.length,
          requests: sum("requests"),
          sent: sum("sent"),
          cached: sum("cached"),
          ...(known.length === all.length && { dollars: known.reduce((total, one) => total + one, 0) }),
        };
      });
    },
  };
}
