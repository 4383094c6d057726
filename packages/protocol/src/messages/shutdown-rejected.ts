import { z } from "zod";
import { Timestamp } from "../timestamp.ts";
import { anyTime, defineMessage } from "./kind.ts";

/** The member goes on. */
export const ShutdownRejected = z
  .looseObject({
    type: z.literal("shutdown_rejected"),
    requestId: z.string().describe("The `request_id` of the request."),
    from: z.string().describe("The bare name of the member that keeps running."),
    reason: z.string().describe("Why it keeps running."),
    timestamp: Timestamp.describe("When it refused."),
  })
  .meta({
    title: "shutdown_rejected",
    description: "The member refuses a shutdown_request and keeps working; a lead never waits for it.",
    examples: [
      {
        type: "shutdown_rejected",
        requestId: "shutdown-1794989153413@alice",
        from: "alice",
        reason: "Task 3 needs five more minutes",
        timestamp: "2026-11-18T08:05:53.557Z",
      },
    ],
  });
export type ShutdownRejected = z.infer<typeof ShutdownRejected>;

const view = ShutdownRejected.partial({ from: true, reason: true }).extend({ timestamp: anyTime });
/** The form that readers accept. */
export type ReadShutdownRejected = z.infer<typeof view>;

const keys = ["type", "requestId", "from", "reason", "timestamp"];

export const shutdownRejected = defineMessage({
  type: "shutdown_rejected",
  view,
  published: { "2026-02": ShutdownRejected, "2026-11": ShutdownRejected },
  keys: { "2026-02": keys, "2026-11": keys },
  idKey: "requestId",
  isAllOrNothing: false,
  hasColor: true,
  aliases: { request_id: "requestId" },
});
