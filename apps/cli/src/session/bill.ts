import { costOf, type SessionEvent } from "@troupe/runtime";

/** The tokens and cost of a session, including its sub-agents. */
export interface Bill {
  readonly requests: number;
  readonly usage: {
    readonly input: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly output: number;
  };
  /** In US dollars; absent if the price of a model is unknown. */
  readonly cost?: number;
}

/** Sums up the answers it is given. */
export function createBill(): { add(event: SessionEvent): void; total(): Bill } {
  let requests = 0;
  let cost: number | undefined = 0;
  const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  return {
    add(event) {
      if (event.kind !== "entry" || event.entry.kind !== "answered") return;
      const { usage: used, model } = event.entry.answer;
      requests += 1;
      usage.input += used.input;
      usage.cacheRead += used.cacheRead;
      usage.cacheWrite += used.cacheWrite5m + used.cacheWrite1h;
      usage.output += used.output;
      const price = costOf(used, model);
      cost = cost === undefined || price === undefined ? undefined : cost + price;
    },
    total: () => ({ requests, usage: { ...usage }, ...(cost !== undefined && { cost }) }),
  };
}
