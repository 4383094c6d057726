import { z } from "zod";
import { Timestamp } from "../timestamp.ts";
import { anyTime, defineMessage } from "./kind.ts";

/** Asks a member to end. It may refuse. */
export const ShutdownRequest = z
  .looseObject({
    type: z.literal("shutdown_request"),
    requestId: z.string().describe("`shutdown-<ms>@<agent>`, the agent being the one asked; the answer repeats it."),
    from: z.string().describe("Who asks, normally `team-lead`."),
    reason: z.string().describe("The reason: the content given by the sender."),
    timestamp: Timestamp.describe("When it was asked."),
  })
  .meta({
    title: "shutdown_request",
    description: "Asks a member to save its work and shut down; answered by shutdown_approved or shutdown_rejected.",
    examples: [
      {
        type: "shutdown_request",
        requestId: "shutdown-1770977603516@verifier-01",
        from: "team-lead",
        reason: "All checks are done",
        timestamp: "2026-02-13T10:13:23.516Z",
      },
    ],
  });
export type ShutdownRequest = z.infer<typeof ShutdownRequest>;

const view = ShutdownRequest.partial({ from: true, reason: true }).extend({ timestamp: anyTime });
/** The form that readers accept. */
export type ReadShutdownRequest = z.infer<typeof view>;

const keys = ["type", "requestId", "from", "reason", "timestamp"];

export const shutdownRequest = defineMessage({
  type: "shutdown_request",
  view,
  published: { "2026-02": ShutdownRequest, "2026-11": ShutdownRequest },
  keys: { "2026-02": keys, "2026-11": keys },
  idKey: "requestId",
  isAllOrNothing: false,
  hasColor: false,
  aliases: { request_id: "requestId" },
});
