import type { Model } from "../model/model.ts";
import { type FrozenRequest, prefixHashes } from "./frozen.ts";

export interface GateDeps {
  /** How long a request waits for another at most. */
  readonly capMs: number;
  /** How long an entry is known to live after the response that wrote or read it began. */
  readonly warmMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Lets the first of several requests with one prefix go ahead: a cache entry exists once the response to it has begun, and whoever asks
 * earlier pays for writing it again. The first never waits.
 */
export function gated(model: Model, { capMs, warmMs, now, sleep }: GateDeps): Model {
  const leaders = new Map<string, Promise<void>>();
  const warmUntil = new Map<string, number>();

  return async function* (request, signal) {
    const hashes = hashesAt(request);
    const cold = hashes.filter((hash) => (warmUntil.get(hash) ?? Number.NEGATIVE_INFINITY) < now());
    const leader = cold.map((hash) => leaders.get(hash)).find((one) => one !== undefined);
    if (leader) {
      const waiting = new AbortController();
      await Promise.race([leader, sleep(capMs, AbortSignal.any([signal, waiting.signal]))]);
      waiting.abort();
    }
    const led = cold.filter((hash) => !leaders.has(hash));
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    for (const hash of led) leaders.set(hash, begun);
    const end = () => {
      for (const hash of led.splice(0)) leaders.delete(hash);
      begin();
    };
    for (const [hash, until] of warmUntil) if (until < now()) warmUntil.delete(hash);
    try {
      for await (const event of model(request, signal)) {
        if (event.kind === "begun") for (const hash of hashes) warmUntil.set(hash, now() + warmMs);
        end();
        yield event;
      }
    } finally {
      end();
    }
  };
}

/** What the request will write into the cache and another may read: all that stands up to each of its marks. */
function hashesAt(request: FrozenRequest): readonly string[] {
  const { tools, system, messages, marks } = request;
  const hashes = prefixHashes(request);
  const before = (message: number) => messages.slice(0, message).reduce((sum, { blocks }) => sum + blocks.length, 0);
  return marks.flatMap((mark) => {
    const place = mark === "system" ? system.length : system.length + before(mark.message) + mark.block + 1;
    return hashes[tools.length + place - 1] ?? [];
  });
}
