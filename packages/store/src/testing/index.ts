import { setTimeout as pause } from "node:timers/promises";
import { type Revision, revisions } from "@troupe/protocol";
import { eventLaws } from "./event-laws.ts";
import { type Engine, type Law, sceneOf } from "./law.ts";
import { mailLaws } from "./mail-laws.ts";
import { repeatLaws } from "./repeat-laws.ts";
import { taskLaws } from "./task-laws.ts";
import { teamLaws } from "./team-laws.ts";

export type { Engine, Law, Scene } from "./law.ts";

/** The laws that any engine of the port must keep. */
export const storeLaws: readonly Law[] = [...teamLaws, ...mailLaws, ...taskLaws, ...repeatLaws, ...eventLaws];

/** Longer than a busy machine needs: what has not happened by then never will. */
const patienceMs = 60_000;

/**
 * Holds an engine to one law, on data of its own, and closes what was opened for it. Throws where
 * the law does not hold.
 */
export async function judge(law: Law, engine: Engine, revision: Revision, limitMs = patienceMs): Promise<void> {
  const scene = await sceneOf(engine, revision);
  const over = new AbortController();
  const late = pause(limitMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`it was waited ${limitMs} ms for what never came: ${law.name}`);
  });
  try {
    await Promise.race([law.holds(scene), late]);
  } finally {
    over.abort();
    for (const store of scene.stores) await store.close();
  }
}

export interface JudgeDeps {
  /** Defines a test: that of vitest, of node:test, or anything of that form. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** An engine with no data yet; called once a test. */
  readonly engine: () => Promise<Engine>;
}

/** A test for every law, in both revisions. */
export function judgeStore({ test, engine }: JudgeDeps): void {
  for (const revision of revisions)
    for (const law of storeLaws) test(`${revision}: ${law.name}`, async () => judge(law, await engine(), revision));
}
