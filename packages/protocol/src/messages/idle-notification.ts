import { z } from "zod";
import { Timestamp } from "../timestamp.ts";
import { anyTime, defineMessage } from "./kind.ts";

const example = {
  type: "idle_notification",
  from: "alice",
  timestamp: "2026-02-13T10:45:27.138Z",
  idleReason: "available",
  summary: "[to bob] asks about the schema",
};

/** Tells the lead that a turn has ended. Several in a row are normal. */
export const IdleNotification = z
  .looseObject({
    type: z.literal("idle_notification"),
    from: z.string().describe("The bare name of the member whose turn ended."),
    timestamp: Timestamp.describe("When the turn ended."),
    idleReason: z.string().optional().describe("`available`; absent where another message already waits."),
    summary: z
      .string()
      .optional()
      .describe("`[to <name>] <summary>` of the last message to a peer, if the turn sent one."),
    result: z.string().optional().describe("The last text of the turn; from client 2.1.260 on."),
  })
  .meta({
    title: "idle_notification",
    description: "Sent to the lead after every turn of a member: it rests and can be woken by a message.",
    examples: [{ ...example, result: "The schema is done; I asked bob to check it." }],
  });
export type IdleNotification = z.infer<typeof IdleNotification>;

const view = IdleNotification.partial({ from: true }).extend({ timestamp: anyTime });
/** The form that readers accept. */
export type ReadIdleNotification = z.infer<typeof view>;

/** In 2026-02 the reason is always there. */
const WithReason = IdleNotification.extend({ idleReason: z.string().describe("`available`; open.") }).meta({
  ...IdleNotification.meta(),
  examples: [example],
});

const keys = ["type", "from", "timestamp", "idleReason", "summary"];

export const idleNotification = defineMessage({
  type: "idle_notification",
  view,
  published: { "2026-02": WithReason, "2026-11": IdleNotification },
  keys: { "2026-02": keys, "2026-11": [...keys, "result"] },
  idKey: undefined,
  isAllOrNothing: false,
  hasColor: true,
  aliases: { agent: "from" },
});

/** A summary, for the lead, of a message between peers. */
export const peerSummary = (recipient: string, summary: string): string => `[to ${recipient}] ${summary}`;
