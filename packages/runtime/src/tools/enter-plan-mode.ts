import { enterPlanModeTool as boundary, EnterPlanModeInput } from "@troupe/protocol/tools";
import type { Tool } from "../loop/tool.ts";
import type { PlanFile } from "../team/plan-approval.ts";
import { said } from "./outcome.ts";
import type { PlanMode } from "./plan-mode.ts";
import { typedTool } from "./typed-tool.ts";

export interface EnterPlanModeDeps {
  readonly planMode: Pick<PlanMode, "enter">;
  readonly plan: Pick<PlanFile, "path">;
}

/** Lets an agent restrict itself to reading while it thinks. */
export const enterPlanModeTool = ({ planMode, plan }: EnterPlanModeDeps): Tool =>
  typedTool({
    name: boundary.name,
    description:
      "Begins plan mode: you look at things and change nothing but the plan, until ExitPlanMode. Use it before a change that can be made in more than one way.",
    input: EnterPlanModeInput,
    run: async () =>
      said(
        `${planMode.enter() ? "You are in plan mode now" : "You were in plan mode already"}: change nothing. Write the plan to ${plan.path}, then call ExitPlanMode.`,
      ),
  });
