import type { Revision } from "@troupe/protocol";
import { exitPlanModeTool as boundary, exitPlanModeText } from "@troupe/protocol/tools";
import type { Tool, ToolContext, ToolOutcome } from "../loop/tool.ts";
import type { Ask } from "../permissions/ask.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { PlanFile } from "../team/plan-approval.ts";
import { failed, said } from "./outcome.ts";
import type { PlanMode } from "./plan-mode.ts";
import { typedTool } from "./typed-tool.ts";

/** Whoever has to agree before an agent leaves plan mode that it did not enter by itself. */
export type PlanApprover =
  /** Hands the plan in; the id under which it waits. */
  | { readonly kind: "lead"; readonly submit: (plan: string) => Promise<string> }
  | { readonly kind: "person"; readonly ask: Ask };

export interface ExitPlanModeDeps {
  readonly revision: Revision;
  readonly planMode: PlanMode;
  readonly permissions: Pick<Permissions, "apply">;
  readonly plan: PlanFile;
  /** Without one nobody has to: a teammate that need not plan. */
  readonly approver?: PlanApprover;
  readonly newId: () => string;
  /** Ends the turn: whoever was asked wants no further call. */
  readonly interrupt?: (reason: string) => void;
}

/** Ends plan mode, once whoever wanted it has seen the plan. */
export function exitPlanModeTool(deps: ExitPlanModeDeps): Tool {
  const { revision, planMode, permissions, plan, approver, newId, interrupt } = deps;
  return typedTool({
    name: boundary.name,
    description:
      "Ends plan mode. The plan stands in the plan file by then; whoever wants to see it first is shown it. While it waits for the lead, end your turn.",
    input: boundary.input[revision],
    async run(input, context) {
      if (!planMode.isOn()) return left;
      if (!approver || planMode.isVoluntary()) return leave();
      const text = await plan.read();
      if (text === undefined || text.trim() === "")
        return failed(`There is no plan yet. Write it to ${plan.path}, then call ExitPlanMode again.`);
      return approver.kind === "lead" ? handIn(text, approver.submit) : show(text, input, approver.ask, context);
    },
  });

  function leave(): ToolOutcome {
    planMode.leave();
    return left;
  }

  async function handIn(text: string, submit: (plan: string) => Promise<string>): Promise<ToolOutcome> {
    return said(exitPlanModeText({ awaitingLeaderApproval: true, requestId: await submit(text) }));
  }

  async function show(text: string, input: object, ask: Ask, { call, signal }: ToolContext): Promise<ToolOutcome> {
    const question = {
      id: newId(),
      call,
      tool: boundary.name,
      input: { ...input, plan: text },
      reason: "the plan is ready",
    };
    const acceptEdits = { type: "setMode", mode: "acceptEdits", destination: "session" } as const;
    const reply = await ask({ ...question, suggestions: [acceptEdits] }, signal);
    if (reply.behavior === "deny") {
      if (reply.interrupt) interrupt?.(reply.message);
      return failed(
        `The plan was not approved: ${reply.message}. Stay in plan mode, change the plan in ${plan.path} and call ExitPlanMode again.`,
      );
    }
    planMode.leave();
    permissions.apply(reply.updates ?? []);
    return left;
  }
}

const left = said(exitPlanModeText({}));
