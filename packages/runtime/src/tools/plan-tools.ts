import type { Tool } from "../loop/tool.ts";
import type { Ask } from "../permissions/ask.ts";
import { enterPlanModeTool } from "./enter-plan-mode.ts";
import { type ExitPlanModeDeps, exitPlanModeTool, type PlanApprover } from "./exit-plan-mode.ts";

export interface PlanToolsDeps extends Omit<ExitPlanModeDeps, "approver"> {
  readonly approver: PlanApprover | undefined;
}

/** The tools by which a conversation begins to plan, and hands its plan in. */
export const planTools = ({ approver, ...deps }: PlanToolsDeps): readonly Tool[] => [
  enterPlanModeTool(deps),
  exitPlanModeTool({ ...deps, ...(approver && { approver }) }),
];

/** Who approves a plan: the person, or for a teammate that must have its plan approved the lead; other teammates need nobody. */
export function approverOf(
  member: { readonly isLead: boolean; readonly submitPlan?: (content: string) => Promise<string> } | undefined,
  isRequired: boolean,
  ask: Ask,
): PlanApprover | undefined {
  if (!member || member.isLead) return { kind: "person", ask };
  return isRequired && member.submitPlan ? { kind: "lead", submit: member.submitPlan } : undefined;
}
