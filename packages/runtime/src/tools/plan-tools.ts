import type { Tool } from "../loop/tool.ts";
import { enterPlanModeTool } from "./enter-plan-mode.ts";
import { type ExitPlanModeDeps, exitPlanModeTool } from "./exit-plan-mode.ts";

/** The tools by which a conversation begins to plan, and hands its plan in. */
export const planTools = (deps: ExitPlanModeDeps): readonly Tool[] => [enterPlanModeTool(deps), exitPlanModeTool(deps)];
