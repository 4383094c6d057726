import type { PersonHooks } from "../hooks/person-hooks.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { type PlanStore, planFileOf } from "../tools/plan-mode.ts";

export interface PlanNoteDeps {
  readonly permissions: Pick<Permissions, "mode" | "timesSet">;
  readonly root: string;
  readonly sessionId: string;
  /** Absent where there are no plans. */
  readonly store: PlanStore | undefined;
}

/**
 * Tells the model with the person's next words that they have set plan mode, once for each time:
 * else it would learn of it from refusals alone.
 */
export function toldOfPlans(talk: PersonHooks, { permissions, root, sessionId, store }: PlanNoteDeps): PersonHooks {
  let told: number | undefined;
  return {
    ...talk,
    said(typed, content, signal) {
      const at = permissions.timesSet();
      if (store && permissions.mode() === "plan" && told !== at) {
        told = at;
        const { path } = planFileOf(sessionId, { root, store });
        talk.note(
          `<system-reminder>\nThe user has set plan mode: only read, and change nothing but the plan. Write the plan to ${path}, then call ExitPlanMode.\n</system-reminder>`,
        );
      }
      return talk.said(typed, content, signal);
    },
  };
}
