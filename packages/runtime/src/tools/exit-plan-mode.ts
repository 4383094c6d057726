import type { Revision } from "@troupe/protocol";
import { exitPlanModeTool as boundary, exitPlanModeText } from "@troupe/protocol/tools";
import type { Ask } from "@troupe/team";
import { failed, said } from "../loop/outcome.ts";
import type { Tool, ToolContext, ToolOutcome } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { PlanFile, PlanMode } from "./plan-mode.ts";

/** Decides whether an agent may leave plan mode that it did not enter by itself. */
export type PlanApprover =
  /** Hands the plan in; the id under which it waits. */
  | { readonly kind: "lead"; readonly submit: (plan: string) => Promise<string> }
  | { readonly kind: "person"; readonly ask: Ask };

export interface ExitPlanModeDeps {
  readonly revision: Revision;
  readonly planMode: PlanMode;
  readonly permissions: Pick<Permissions, "apply">;
  readonly plan: PlanFile;
  /** Asked at each call. Without one nobody has to agree: a teammate that need not plan. */
  readonly approver: () => PlanApprover | undefined;
  /** The refusal outside of plan mode, where the call is no success there. */
  readonly outside?: string | undefined;
  readonly newId: () => string;
  /** Ends the turn: the person or lead that was asked wants no further call. */
  readonly interrupt?: (reason: string) => void;
}

/** Ends plan mode, once its approver has seen the plan. */
export function exitPlanModeTool(deps: ExitPlanModeDeps): Tool {
  const { revision, planMode, permissions, plan, newId, interrupt } = deps;
  return typedTool({
    name: boundary.name,
    description:
      "Ends plan mode. The plan stands in the plan file by then; whoever wants to see it first is shown it. While it waits for the lead, end your turn.",
    input: boundary.input[revision],
    async run(input, context) {
      if (!planMode.isOn()) return deps.outside === undefined ? left : failed(deps.outside);
      const approver = deps.approver();
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
    await permissions.apply(reply.updates ?? []);
    return left;
  }
}

const left = said(exitPlanModeText({}));
