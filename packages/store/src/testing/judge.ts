import { setTimeout as pause } from "node:timers/promises";

/** What must hold in a scene; fails with what does not. */
export interface Law<Scene> {
  readonly name: string;
  holds(scene: Scene): Promise<void>;
}

/** Defines a test: that of vitest, of node:test, or anything of that form. */
export type DefineTest = (name: string, run: () => Promise<void>) => unknown;

/** Longer than a busy machine needs: what has not happened by then never will. */
const patienceMs = 60_000;

/** Holds a scene to one law, and takes it down. Throws where the law does not hold. */
export async function judge<Scene extends { close(): Promise<void> }>(
  law: Law<Scene>,
  scene: Scene,
  limitMs = patienceMs,
): Promise<void> {
  const over = new AbortController();
  const late = pause(limitMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`it was waited ${limitMs} ms for what never came: ${law.name}`);
  });
  try {
    await Promise.race([law.holds(scene), late]);
  } finally {
    over.abort();
    await scene.close();
  }
}
