import { asleep } from "@troupe/store";
import { type FrozenRequest, prefixHashes } from "../model/frozen.ts";
import type { Model } from "../model/model.ts";

export interface GateDeps {
  /** How long a request waits for others at most, one after the other; 10 s unless it is said. */
  readonly capMs: number;
  /**
   * How long an entry lives from the start of the request that wrote or read it; 4 min unless it is
   * said.
   */
  readonly warmMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Lets the first of several requests with one prefix go ahead: a cache entry exists once the answer
 * to it has begun, and an earlier request pays for writing it again. The first never waits; where
 * it comes to nothing, the next is the first. No request waits in a circle, since one that waits is
 * nobody's first.
 */
export function gated(model: Model, given: Partial<GateDeps> = {}): Model {
  // Ten seconds are the first byte of an answer to some 190,000 tokens that no cache holds.
  const { capMs = 10_000, warmMs = 240_000, now = Date.now, sleep = asleep } = given;
  const leaders = new Map<string, Promise<void>>();
  const warmUntil = new Map<string, number>();
  const isCold = (hash: string) => (warmUntil.get(hash) ?? Number.NEGATIVE_INFINITY) < now();

  return async function* (request, signal) {
    const hashes = hashesAt(request);
    const leader = () => hashes.flatMap((hash) => (isCold(hash) && leaders.get(hash)) || [])[0];
    const waiting = new AbortController();
    const over = leader() && sleep(capMs, AbortSignal.any([signal, waiting.signal])).then(() => waiting.abort());
    // Nothing is awaited from the last look to the entry as a leader: of those that waited, one is
    // the next.
    for (let first = leader(); first && !waiting.signal.aborted; first = leader()) await Promise.race([first, over]);
    waiting.abort();
    const led = hashes.filter((hash) => isCold(hash) && !leaders.has(hash));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const hash of led) leaders.set(hash, released);
    const step = () => {
      for (const hash of led.splice(0)) leaders.delete(hash);
      release();
    };
    for (const [hash, until] of warmUntil) if (until < now()) warmUntil.delete(hash);
    const started = now();
    try {
      for await (const event of model(request, signal)) {
        if (event.kind === "begun") for (const hash of hashes) warmUntil.set(hash, started + warmMs);
        step();
        yield event;
      }
    } finally {
      step();
    }
  };
}

/**
 * Prefixes that the request will write into the cache and another may read: all that stands up to
 * each of its marks.
 */
function hashesAt(request: FrozenRequest): readonly string[] {
  const { tools, system, messages, marks } = request;
  const before = (message: number) => messages.slice(0, message).reduce((sum, { blocks }) => sum + blocks.length, 0);
  const ends = marks.map((mark) =>
    mark === "system" ? system.length : system.length + before(mark.message) + mark.block + 1,
  );
  return prefixHashes(request, (position) => ends.includes(position + 1 - tools.length));
}
