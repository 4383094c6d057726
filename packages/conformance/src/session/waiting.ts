import { setTimeout as pause } from "node:timers/promises";
import { checkFailure, type Evidence } from "../fault.ts";

/** How the suite waits for what a session must do. */
export interface Waiting {
  /**
   * Resolves with what `find` finds; false and undefined are nothing. Fails the check when the time
   * is up, or when `fate` tells that nothing more will come, unless it may come after that.
   */
  until<T>(what: string, find: () => T | false | undefined, how?: { readonly mayOutlive?: boolean }): Promise<T>;
  /** Fails if `find` finds something meanwhile: for what a session must not do. */
  never(what: string, find: () => boolean, forMs?: number): Promise<void>;
}

export interface WaitingDeps {
  readonly limitMs: number;
  /** How long it is waited for what must not come, on a quiet machine scaled to this one. */
  readonly quietMs: number;
  /** Why nothing more will come; undefined while something can. */
  readonly fate: () => string | undefined;
  readonly evidence: () => Evidence;
}

export function openWaiting({ limitMs, quietMs, fate, evidence }: WaitingDeps): Waiting {
  return {
    async until(what, find, { mayOutlive = false } = {}) {
      const end = performance.now() + limitMs;
      for (;;) {
        const [isLast, over] = [performance.now() > end, fate()];
        const found = find();
        if (found !== undefined && found !== false) return found;
        if (over !== undefined && !mayOutlive) throw checkFailure(`${what} did not come: ${over}`, evidence());
        if (isLast) throw checkFailure(`${what} did not come within ${Math.round(limitMs)} ms`, evidence());
        await pause(10);
      }
    },
    async never(what, find, forMs = quietMs) {
      for (const end = performance.now() + forMs; performance.now() < end; await pause(10))
        if (find()) throw checkFailure(`${what} came`, evidence());
    },
  };
}
