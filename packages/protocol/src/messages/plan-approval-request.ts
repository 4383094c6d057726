import { z } from "zod";
import { Timestamp } from "../timestamp.ts";
import { anyTime, defineMessage } from "./kind.ts";

/** Asks the lead to approve a plan. */
export const PlanApprovalRequest = z
  .looseObject({
    type: z.literal("plan_approval_request"),
    from: z.string().describe("The bare name of the member whose plan it is."),
    timestamp: Timestamp.describe("When it was submitted."),
    planFilePath: z.string().describe("Absolute path of the plan file; readers expand a leading `~`."),
    planContent: z.string().describe("The whole plan, Markdown."),
    requestId: z.string().describe("`plan_approval-<ms>@<agent>@<team>`; each submission has a new one."),
  })
  .meta({
    title: "plan_approval_request",
    description: "Sent to the lead when a member that must plan first leaves plan mode.",
    examples: [
      {
        type: "plan_approval_request",
        from: "planner-01",
        timestamp: "2026-02-13T10:43:07.887Z",
        planFilePath: "/home/dev/.claude/plans/calm-sorting-heron.md",
        planContent: "# Parser\n\n1. Read the grammar",
        requestId: "plan_approval-1770979387887@planner-01@advanced-verify",
      },
    ],
  });
export type PlanApprovalRequest = z.infer<typeof PlanApprovalRequest>;

const view = PlanApprovalRequest.partial({ from: true, planFilePath: true, planContent: true }).extend({
  timestamp: anyTime,
});
/** The form that readers accept. */
export type ReadPlanApprovalRequest = z.infer<typeof view>;

const keys = ["type", "from", "timestamp", "planFilePath", "planContent", "requestId"];

export const planApprovalRequest = defineMessage({
  type: "plan_approval_request",
  view,
  published: { "2026-02": PlanApprovalRequest, "2026-11": PlanApprovalRequest },
  keys: { "2026-02": keys, "2026-11": keys },
  idKey: "requestId",
  isAllOrNothing: false,
  hasColor: false,
  aliases: { request_id: "requestId" },
});
