import type { Position } from "./positions.ts";
import { invalid, isRefusal, type Refusal } from "./refusal.ts";
import type { CacheControl } from "./request.ts";

export type Ttl = "5m" | "1h";

/** A marked position: everything up to it can be written to the cache. */
export interface Breakpoint {
  readonly index: number;
  readonly ttl: Ttl;
}

const maxBreakpoints = 4;

function ttlOf(mark: CacheControl, path: string): Ttl | Refusal {
  if (mark.type !== "ephemeral") return invalid(`${path}.cache_control.type: Input should be 'ephemeral'`);
  const { ttl = "5m" } = mark;
  return ttl === "5m" || ttl === "1h" ? ttl : invalid(`${path}.cache_control.ttl: Input should be '5m' or '1h'`);
}

const tooMany = invalid(`A maximum of ${maxBreakpoints} blocks with cache_control may be provided.`);

function explicitBreakpoints(positions: readonly Position[]): readonly Breakpoint[] | Refusal {
  const found: Breakpoint[] = [];
  for (const [index, { mark, path, type, canBeMarked }] of positions.entries()) {
    if (mark === undefined) continue;
    if (!canBeMarked) {
      return invalid(`${path}: cache_control cannot be set for ${type === "text" ? "empty text" : type} blocks`);
    }
    const ttl = ttlOf(mark, path);
    if (isRefusal(ttl)) return ttl;
    found.push({ index, ttl });
  }
  return found.length > maxBreakpoints ? tooMany : found;
}

/** Adds the mark that a top-level `cache_control` puts on the last block that can carry one. */
function withAutomatic(found: readonly Breakpoint[], positions: readonly Position[], mark: CacheControl) {
  const ttl = ttlOf(mark, "request");
  if (isRefusal(ttl)) return ttl;
  const index = positions.findLastIndex(({ canBeMarked }) => canBeMarked);
  if (index === -1) return found;
  const there = found.find((breakpoint) => breakpoint.index === index);
  if (there === undefined) return found.length === maxBreakpoints ? tooMany : [...found, { index, ttl }];
  return there.ttl === ttl ? found : invalid("cache_control: the last block is marked with another ttl");
}

/** The positions where a request allows cache writes and reads, or why it is refused. */
export function breakpointsOf(
  positions: readonly Position[],
  automatic?: CacheControl | null,
): readonly Breakpoint[] | Refusal {
  const found = explicitBreakpoints(positions);
  if (isRefusal(found)) return found;
  const all = automatic ? withAutomatic(found, positions, automatic) : found;
  if (isRefusal(all)) return all;
  const firstShort = all.findIndex(({ ttl }) => ttl === "5m");
  const late = firstShort === -1 ? undefined : all.slice(firstShort).find(({ ttl }) => ttl === "1h");
  if (late === undefined) return all;
  const path = positions[late.index]?.path ?? "";
  return invalid(`${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' block`);
}
