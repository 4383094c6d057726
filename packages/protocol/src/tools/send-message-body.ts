import type { SendMessageRequest } from "./send-message-request.ts";

type Of<Kind extends SendMessageRequest["kind"]> = Extract<SendMessageRequest, { kind: Kind }>;

/** The body of a shutdown request. The call's content becomes its reason, not the entry's text. */
export const shutdownRequestBody = (
  { reason }: Pick<Of<"shutdown_request">, "reason">,
  { requestId, from, timestamp }: { readonly requestId: string; readonly from: string; readonly timestamp: string },
) => ({ type: "shutdown_request" as const, requestId, from, reason, timestamp });

/**
 * Who answers, and where it ran: `paneId` and `backendType` of its entry in config.json, if
 * present.
 */
export interface ShutdownAnswerStamp {
  readonly from: string;
  readonly timestamp: string;
  readonly paneId?: string | undefined;
  readonly backendType?: string | undefined;
}

/** The body of an answer to a shutdown request; the call's `approve` chooses one of two types. */
export const shutdownAnswerBody = (
  { requestId, approve, reason }: Pick<Of<"shutdown_response">, "requestId" | "approve" | "reason">,
  { from, timestamp, paneId, backendType }: ShutdownAnswerStamp,
) =>
  approve
    ? {
        type: "shutdown_approved" as const,
        requestId,
        from,
        timestamp,
        ...(paneId && { paneId }),
        ...(backendType && { backendType }),
      }
    : { type: "shutdown_rejected" as const, requestId, from, reason, timestamp };

/** What an approval grants; the plan's digest is for revision 2026-11 and known requests. */
export interface PlanAnswerStamp {
  readonly timestamp: string;
  readonly permissionMode: string;
  readonly planDigest?: string | undefined;
}

/** The body of an answer to a plan: an approval grants a mode, a rejection carries the feedback. */
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
