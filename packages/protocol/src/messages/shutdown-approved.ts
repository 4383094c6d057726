import { z } from "zod";
import { Timestamp } from "../timestamp.ts";
import { anyTime, defineMessage } from "./kind.ts";

/** The member agrees and ends. */
export const ShutdownApproved = z
  .looseObject({
    type: z.literal("shutdown_approved"),
    requestId: z.string().describe("The `request_id` of the request."),
    from: z.string().describe("The bare name of the member that shuts down."),
    timestamp: Timestamp.describe("When it agreed."),
    paneId: z
      .string()
      .optional()
      .describe("`tmuxPaneId` of its entry: `%<digits>` or `in-process`. Left out where it has none."),
    backendType: z
      .string()
      .optional()
      .describe("`backendType` of its entry: `tmux` or `in-process`. Left out where it has none."),
  })
  .meta({
    title: "shutdown_approved",
    description: "The member agrees to a shutdown_request and shuts down; the lead then removes it from the team.",
    examples: [
      {
        type: "shutdown_approved",
        requestId: "shutdown-1770977604066@verifier-02",
        from: "verifier-02",
        timestamp: "2026-02-13T10:13:29.576Z",
        paneId: "%71",
        backendType: "tmux",
      },
    ],
  });
export type ShutdownApproved = z.infer<typeof ShutdownApproved>;

const view = ShutdownApproved.partial({ from: true }).extend({ timestamp: anyTime });
/** The form that readers accept. */
export type ReadShutdownApproved = z.infer<typeof view>;

const keys = ["type", "requestId", "from", "timestamp", "paneId", "backendType"];

export const shutdownApproved = defineMessage({
  type: "shutdown_approved",
  view,
  published: { "2026-02": ShutdownApproved, "2026-11": ShutdownApproved },
  keys: { "2026-02": keys, "2026-11": keys },
  idKey: "requestId",
  isAllOrNothing: false,
  hasColor: true,
  aliases: { request_id: "requestId" },
});
