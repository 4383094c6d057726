import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

/** A view as it was heard last. */
export interface Heard<T> {
  readonly data: T | undefined;
  /** Why there is none, or none that is new. */
  readonly fault: string | undefined;
}

/** Whether the server is heard; the page shows what it has until it is again. */
export const isHeard = signal(true);
/** The person has to open the address that was printed. */
export const isLocked = signal(false);

interface Known {
  readonly etag: string;
  readonly data: unknown;
}

const longMs = 100;
const known = new Map<string, Known>();
const looking = new Map<string, Set<() => void>>();

/** Asks for a view anew; what has not changed stays the very same object. */
async function ask(path: string): Promise<Heard<unknown>> {
  const before = known.get(path);
  try {
    const headers = before ? { "if-none-match": before.etag } : {};
    const answer = await fetch(`/api/${path}`, { headers, cache: "no-store" });
    isHeard.value = true;
    if (answer.status === 401) isLocked.value = true;
    if (answer.status === 304 && before) return { data: before.data, fault: undefined };
    if (!answer.ok) return { data: undefined, fault: (await answer.text()).trim() };
    const data: unknown = await answer.json();
    known.set(path, { etag: answer.headers.get("etag") ?? "", data });
    return { data, fault: undefined };
  } catch {
    isHeard.value = false;
    return { data: before?.data, fault: undefined };
  }
}

/** Asks anew for all views that are looked at and begin so. */
export function renew(prefix: string): void {
  for (const [path, renewals] of looking)
    if (path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}?`))
      for (const one of renewals) one();
}

export const renewAll = (): void => {
  for (const renewals of looking.values()) for (const one of renewals) one();
};

/** A view that is kept new while it is looked at. Undefined while it was never heard. */
export function useView<T>(path: string | undefined): Heard<T> {
  const [heard, hear] = useState<{ readonly path: string | undefined; readonly is: Heard<unknown> }>();
  useEffect(() => {
    if (path === undefined) return undefined;
    let [isOver, isAsking, isAgain] = [false, false, false];
    const renewal = async () => {
      isAgain = isAsking;
      if (isAsking) return;
      isAsking = true;
      do {
        isAgain = false;
        const began = performance.now();
        const is = await ask(path);
        if (isOver) return;
        hear({ path, is });
        const took = performance.now() - began;
        // What takes long is asked for half of the time at the most, however often it changes.
        if (isAgain && took > longMs) await new Promise((rested) => setTimeout(rested, took));
      } while (isAgain && !isOver);
      isAsking = false;
    };
    const renewals = looking.get(path) ?? new Set();
    looking.set(path, renewals.add(renewal));
    void renewal();
    return () => {
      isOver = true;
      renewals.delete(renewal);
      if (renewals.size === 0) looking.delete(path);
    };
  }, [path]);
  if (heard?.path === path && heard) return heard.is as Heard<T>;
  return { data: path === undefined ? undefined : (known.get(path)?.data as T | undefined), fault: undefined };
}

/** Does what the person wants; the words that came of it. */
export async function act(team: string, kind: string, body: object): Promise<{ isDone: boolean; words: string }> {
  try {
    const answer = await fetch(`/api/team/${encodeURIComponent(team)}/${kind}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return answer.ok ? await answer.json() : { isDone: false, words: (await answer.text()).trim() };
  } catch {
    return { isDone: false, words: "the server is gone, and nothing is known of what came of it" };
  }
}
