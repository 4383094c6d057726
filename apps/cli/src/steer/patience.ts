import type { Call } from "../command.ts";

/** How long a person may wonder before it is said what is waited for. */
const quietMs = 1_000;

/**
 * Waits for something for so long at most; says for what and how long where that takes a while. The
 * signal fires when the time is over, or when the person stops the command.
 */
export async function withPatience<T>(
  { note, quietly, signal }: Pick<Call, "note" | "quietly" | "signal">,
  what: string,
  mostMs: number,
  work: (over: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const stop = () => over.abort();
  const said = setTimeout(() => note(`waiting ${what}, ${mostMs / 1_000} s at most`), quietMs);
  const late = setTimeout(stop, mostMs);
  signal.addEventListener("abort", stop);
  try {
    return await quietly(work(over.signal));
  } finally {
    over.abort();
    clearTimeout(said);
    clearTimeout(late);
    signal.removeEventListener("abort", stop);
  }
}
