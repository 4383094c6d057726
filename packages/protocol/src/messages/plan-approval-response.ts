import { z } from "zod";
import { Timestamp } from "../timestamp.ts";
import { anyTime, defineMessage } from "./kind.ts";

const type = z.literal("plan_approval_response");
const requestId = z.string().describe("The `request_id` of the request.");
const timestamp = Timestamp.describe("When it was answered.");
const permissionMode = z
  .string()
  .describe(
    "The member's permission mode from now on: the lead's own, or `default` if that is `plan`. Not in a rejection.",
  );
const feedback = z.string().describe("What is wrong with the plan. Not in an approval.");
const planDigest = z
  .string()
  .describe("sha256 of the approved planContent in lower-case hex; left out for an id the lead does not know.");

const view = z.discriminatedUnion("approved", [
  z.looseObject({
    type,
    requestId,
    approved: z.literal(true),
    timestamp: anyTime,
    permissionMode: permissionMode.optional(),
    planDigest: planDigest.optional(),
  }),
  z.looseObject({ type, requestId, approved: z.literal(false), timestamp: anyTime, feedback: feedback.optional() }),
]);
/** Approves or rejects a plan, as any reader takes it. */
export type ReadPlanApprovalResponse = z.infer<typeof view>;

const approval = z.looseObject({
  type,
  requestId,
  approved: z.literal(true),
  timestamp,
  permissionMode,
  planDigest: planDigest.optional(),
  feedback: z.never().optional(),
});
const rejection = z.looseObject({
  type,
  requestId,
  approved: z.literal(false),
  feedback,
  timestamp,
  permissionMode: z.never().optional(),
});
const answer = z.discriminatedUnion("approved", [approval, rejection]);
export type PlanApprovalResponse = z.infer<typeof answer>;
const meta = {
  title: "plan_approval_response",
  description: "The lead's answer to a plan: an approval names the mode it grants, a rejection says what to change.",
};
const example = {
  type: "plan_approval_response",
  requestId: "plan_approval-1770979387887@planner-01@advanced-verify",
  approved: true,
  timestamp: "2026-02-13T10:43:07.980Z",
  permissionMode: "acceptEdits",
};
const digest = "3b9ede3c2c5e68735ae05b146e4cc41cc6801adaff1720518640678123dba289";

const keys = ["type", "requestId", "approved", "feedback", "timestamp", "permissionMode"];

export const planApprovalResponse = defineMessage({
  type: "plan_approval_response",
  view,
  published: {
    "2026-02": answer.meta({ ...meta, examples: [example] }),
    "2026-11": answer.meta({ ...meta, examples: [{ ...example, planDigest: digest }] }),
  },
  keys: { "2026-02": keys, "2026-11": [...keys, "planDigest"] },
  idKey: "requestId",
  isAllOrNothing: true,
  hasColor: false,
  aliases: { request_id: "requestId", approve: "approved" },
});
