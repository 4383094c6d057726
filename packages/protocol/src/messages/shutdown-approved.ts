import { z } from "zod";
import { Timestamp } from "../timestamp.ts";
import { anyTime, defineMessage } from "./kind.ts";

/** The member agrees and ends. */
export const ShutdownApproved = z
  .looseObject({
    type: z.literal("shutdown_approved"),
    requestId: z.string().describe("That of the request."),
    from: z.string().describe("The bare name of the member that ends."),
    timestamp: Timestamp.describe("When it agreed."),
    paneId: z.string().describe("`tmuxPaneId` of its entry: `%<digits>` or `in-process`."),
    backendType: z.string().describe("`backendType` of its entry: `tmux` or `in-process`."),
  })
  .meta({
    title: "shutdown_approved",
    description: "The member agrees to a shutdown_request and ends; the lead then removes it from the team.",
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

const view = ShutdownApproved.partial({ from: true, paneId: true, backendType: true }).extend({ timestamp: anyTime });
/** As any reader takes it. */
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
