import type { PersonHooks } from "../hooks/person-hooks.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { PlanFile } from "../tools/plan-mode.ts";

export interface PlanNoteDeps {
  readonly permissions: Pick<Permissions, "mode" | "timesSet">;
  /** Absent where there are no plans. */
  readonly plan: Pick<PlanFile, "path"> | undefined;
  readonly talk: Pick<PersonHooks, "note">;
}

/**
 * Tells the model with the person's next words that they have set plan mode, once for each time:
 * else it would learn of it from refusals alone.
 */
export function planNote({ permissions, plan, talk }: PlanNoteDeps): () => void {
  let told: number | undefined;
  return () => {
    if (!plan || permissions.mode() !== "plan" || told === permissions.timesSet()) return;
    told = permissions.timesSet();
    talk.note(
      `<system-reminder>\nThe user has set plan mode: only read, and change nothing but the plan. Write the plan to ${plan.path}, then call ExitPlanMode.\n</system-reminder>`,
    );
  };
}
