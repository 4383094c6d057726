import { type Revision, revisions } from "@troupe/protocol";
import { eventLaws } from "./event-laws.ts";
import { type DefineTest, judge } from "./judge.ts";
import { type Engine, type StoreLaw, sceneOf } from "./law.ts";
import { mailLaws } from "./mail-laws.ts";
import { repeatLaws } from "./repeat-laws.ts";
import { taskLaws } from "./task-laws.ts";
import { teamLaws } from "./team-laws.ts";

export { type DefineTest, judge, type Law } from "./judge.ts";
export type { Engine, Scene, StoreLaw } from "./law.ts";

/** The laws that any engine of the port must keep. */
export const storeLaws: readonly StoreLaw[] = [...teamLaws, ...mailLaws, ...taskLaws, ...repeatLaws, ...eventLaws];

/** Holds an engine to one law, on data of its own. */
export const judgeLaw = async (law: StoreLaw, engine: Engine, revision: Revision, limitMs?: number): Promise<void> =>
  judge(law, await sceneOf(engine, revision), limitMs);

export interface JudgeDeps {
  readonly test: DefineTest;
  /** An engine with no data yet; called once a test. */
  readonly engine: () => Promise<Engine>;
}

/** A test for every law, in both revisions. */
export function judgeStore({ test, engine }: JudgeDeps): void {
  for (const revision of revisions)
    for (const law of storeLaws) test(`${revision}: ${law.name}`, async () => judgeLaw(law, await engine(), revision));
}
