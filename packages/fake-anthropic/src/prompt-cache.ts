import { type Bill, billOf } from "./billing.ts";
import type { Breakpoint, Ttl } from "./breakpoints.ts";
import type { Position } from "./positions.ts";

const lifetimeMs: Readonly<Record<Ttl, number>> = { "5m": 5 * 60_000, "1h": 60 * 60_000 };

/**
 * The number of positions, counted back from a breakpoint and including it, in which an entry is
 * found.
 */
const lookbackPositions = 20;

/** A cache lookup: a prefix, its marks, and the length below which it is not cached. */
export interface Prefix {
  readonly positions: readonly Position[];
  readonly breakpoints: readonly Breakpoint[];
  readonly minimumTokens: number;
}

/** The cache hit, the charge and the writes of a request that started at `at`. */
export interface Charge extends Bill {
  readonly at: number;
  readonly hit: number;
  readonly reads: readonly string[];
  readonly writes: readonly { readonly hash: string; readonly ttl: Ttl }[];
}

interface Entry {
  readonly ttl: Ttl;
  readonly expiresAt: number;
}

/** The documented cache rules over a map; the caller passes the time, so tests need not wait. */
export interface PromptCache {
  /** Changes nothing. */
  look(prefix: Prefix, at: number): Charge;
  /** The request runs: what it reads lives on from its start. */
  refresh(charge: Charge): void;
  /** Its answer begins: what it writes exists from now on, and expires by its start. */
  write(charge: Charge): void;
}

export function createPromptCache(): PromptCache {
  const entries = new Map<string, Entry>();
  const keep = (hash: string, ttl: Ttl, at: number) => {
    const alive = entries.get(hash);
    const longest = alive !== undefined && alive.ttl === "1h" && at < alive.expiresAt ? "1h" : ttl;
    entries.set(hash, { ttl: longest, expiresAt: Math.max(at + lifetimeMs[longest], alive?.expiresAt ?? 0) });
  };
  return {
    look({ positions, breakpoints, minimumTokens }, at) {
      const isAlive = (index: number) => at < (entries.get(positions[index]?.hash ?? "")?.expiresAt ?? 0);
      let length = 0;
      const lengths = positions.map(({ tokens }) => (length += tokens));
      const active = breakpoints.filter(({ index }) => (lengths[index] ?? 0) >= minimumTokens);
      const windows = active.flatMap(({ index }) =>
        Array.from({ length: lookbackPositions }, (_, back) => index - back),
      );
      const hit = Math.max(-1, ...windows.filter((index) => index >= 0 && isAlive(index)));
      const reads = positions.slice(0, hit + 1).flatMap(({ hash }, index) => (isAlive(index) ? [hash] : []));
      const writes = active
        .filter(({ index }) => index > hit)
        .flatMap(({ index, ttl }) => positions.slice(index, index + 1).map(({ hash }) => ({ hash, ttl })));
      return { ...billOf(lengths, hit, active), at, hit, reads, writes };
    },
    refresh({ reads, at }) {
      for (const hash of reads) {
        const entry = entries.get(hash);
        if (entry !== undefined) keep(hash, entry.ttl, at);
      }
    },
    write({ writes, at }) {
      for (const { hash, ttl } of writes) keep(hash, ttl, at);
    },
  };
}
