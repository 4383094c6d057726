import type { SendMessageRequest } from "./send-message-request.ts";

type Of<Kind extends SendMessageRequest["kind"]> = Extract<SendMessageRequest, { kind: Kind }>;

/** The body that asks a member to end. The call's content becomes its reason, not the text of the entry. */
export const shutdownRequestBody = (
  { reason }: Pick<Of<"shutdown_request">, "reason">,
  { requestId, from, timestamp }: { readonly requestId: string; readonly from: string; readonly timestamp: string },
) => ({ type: "shutdown_request" as const, requestId, from, reason, timestamp });

/** Who answers, and where it ran: `paneId` and `backendType` as in its entry in config.json. */
export interface ShutdownAnswerStamp {
  readonly from: string;
  readonly timestamp: string;
  readonly paneId: string;
  readonly backendType: string;
}

/** The body of an answer to a shutdown request, of which there are two types: the call's `approve` chooses. */
export const shutdownAnswerBody = (
  { requestId, approve, reason }: Pick<Of<"shutdown_response">, "requestId" | "approve" | "reason">,
  { from, timestamp, paneId, backendType }: ShutdownAnswerStamp,
) =>
  approve
    ? { type: "shutdown_approved" as const, requestId, from, timestamp, paneId, backendType }
    : { type: "shutdown_rejected" as const, requestId, from, reason, timestamp };

/** What an approval grants; the digest of the plan is for revision 2026-11, and for a request that is known. */
export interface PlanAnswerStamp {
  readonly timestamp: string;
  readonly permissionMode: string;
  readonly planDigest?: string | undefined;
}

/** The body of an answer to a plan: an approval grants a mode, a rejection carries the feedback, neither has both. */
export const planAnswerBody = (
  { requestId, approve, feedback }: Pick<Of<"plan_approval_response">, "requestId" | "approve" | "feedback">,
  { timestamp, permissionMode, planDigest }: PlanAnswerStamp,
) =>
  approve
    ? {
        type: "plan_approval_response" as const,
        requestId,
        approved: true as const,
        timestamp,
        permissionMode,
        ...(planDigest !== undefined && { planDigest }),
      }
    : { type: "plan_approval_response" as const, requestId, approved: false as const, feedback, timestamp };
