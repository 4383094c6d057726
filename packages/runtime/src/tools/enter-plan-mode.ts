import { enterPlanModeTool as boundary, EnterPlanModeInput } from "@troupe/protocol/tools";
import { said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import type { PlanFile, PlanMode } from "./plan-mode.ts";

export interface EnterPlanModeDeps {
  readonly planMode: Pick<PlanMode, "enter">;
  readonly plan: Pick<PlanFile, "path">;
}

/** The tool EnterPlanMode: an agent restricts itself to reading while it plans. */
export const enterPlanModeTool = ({ planMode, plan }: EnterPlanModeDeps): Tool =>
  typedTool({
    name: boundary.name,
    description:
      "Starts plan mode: until ExitPlanMode you only read, and change nothing but the plan. Use it before a change that can be made in more than one way.",
    input: EnterPlanModeInput,
    run: async () =>
      said(
        `${planMode.enter() ? "You are now in plan mode" : "You are already in plan mode"}: change nothing else. Write the plan to ${plan.path}, then call ExitPlanMode.`,
      ),
  });
