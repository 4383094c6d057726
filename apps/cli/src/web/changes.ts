import { setTimeout as delay } from "node:timers/promises";
import type { Store } from "@troupe/store";
import type { openLook } from "./look.ts";

export interface ChangesDeps {
  readonly store: Store;
  readonly look: ReturnType<typeof openLook>;
  /** All that changes without a file of the team, as a text: which processes run. */
  readonly pulse: (team: string) => Promise<string>;
  /** The teams at this moment, as a text, and those in which somebody is at work. */
  readonly teams: () => Promise<{ readonly text: string; readonly live: readonly string[] }>;
}

/**
 * A process that ends changes no file, and a team that is made is in no directory that is watched.
 */
const lookMs = 1_000;
/** What is being written is looked at again after this time. */
const gatherMs = 25;

export function openChanges({ store, look, pulse, teams }: ChangesDeps) {
  async function* ofTeam(name: string, signal: AbortSignal): AsyncGenerator<void> {
    const team = await store.openTeam(name);
    if (!team) return;
    const bell = openBell(signal);
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const files = async () => {
      for await (const _ of team.watch(either)) bell.ring();
    };
    const log = async () => {
      const last = (await look.events(name)).at(-1)?.id;
      for await (const _ of team.history(last, either)) bell.ring();
    };
    const processes = async () => {
      for (let before = await pulse(name); ; ) {
        await delay(lookMs, undefined, { signal: either });
        const now = await pulse(name);
        if (now !== before) bell.ring();
        before = now;
      }
    };
    for (const watching of [files(), log(), processes()]) watching.catch(() => over.abort()).finally(bell.ring);
    try {
      while (await bell.heard()) {
        if (either.aborted) return;
        yield;
        while (!either.aborted && !(await look.isSettled(name))) {
          await delay(gatherMs);
          bell.ring();
        }
      }
    } finally {
      over.abort();
    }
  }

  async function* ofAll(signal: AbortSignal): AsyncGenerator<void> {
    const bell = openBell(signal);
    const followed = new Set<string>();
    const follow = async (name: string) => {
      for await (const _ of ofTeam(name, signal)) bell.ring();
    };
    for (let before = ""; !signal.aborted; ) {
      const { text, live } = await teams();
      for (const name of live.filter((one) => !followed.has(one))) {
        followed.add(name);
        follow(name)
          .catch(() => {})
          .finally(() => followed.delete(name));
      }
      if (text !== before) yield;
      before = text;
      await Promise.race([bell.heard(), delay(lookMs)]);
    }
  }

  return (team: string | undefined, signal: AbortSignal): AsyncIterable<void> =>
    team === undefined ? ofAll(signal) : ofTeam(team, signal);
}

/** Tells that it was rung since it was heard last, however often. */
function openBell(signal: AbortSignal) {
  let isRung = false;
  let wake = () => {};
  signal.addEventListener("abort", () => wake());
  return {
    ring(): void {
      isRung = true;
      wake();
    },
    async heard(): Promise<boolean> {
      if (!isRung && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      isRung = false;
      return !signal.aborted;
    },
  };
}
