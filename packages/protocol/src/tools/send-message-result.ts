import { z } from "zod";
import type { Revision } from "../revisions/revision.ts";

const never = z.never().optional().describe("Not in this result.");
const success = z.literal(true).describe("The message is in the recipient's inbox file.");
const message = z.string().describe("What was done, in words.");
const sender = z.string().describe("The bare name of the sender.");
const target = z.string().describe("`@` and the bare name of the recipient.");
const targetColor = z.string().optional().describe("The recipient's colour, where it has one.");
const summary = z.string().describe("The summary of the message.");
const content = z.string().describe("The text of the message.");

/** The result of a text to one member in revision 2026-02. */
export const MessageSent202602 = z.looseObject({
  success,
  message,
  routing: z.looseObject({ sender, target, targetColor, summary, content }).describe("From whom to whom."),
  recipients: never,
  request_id: never,
});

/** The result of a text to one member in revision 2026-11. */
export const MessageSent202611 = z.looseObject({
  success,
  message,
  msg_id: z.string().describe("The `msg_id` of the entry."),
  routing: z
    .looseObject({
      sender,
      senderColor: z.string().optional().describe("The sender's colour, where it has one."),
      target,
      targetColor,
      summary,
      content,
    })
    .describe("From whom to whom."),
  recipients: never,
  request_id: never,
});

/** The result of a text to every other member. */
export const BroadcastSent = z.looseObject({
  success,
  message,
  recipients: z.array(z.string()).describe("The bare names of the members that received it."),
  routing: z
    .looseObject({
      sender,
      target: z.literal("@team").describe("Always `@team`."),
      targetColor: never,
      summary,
      content,
    })
    .describe("From whom to whom."),
  request_id: never,
});

/** The result of a request, or of the answer to one. */
export const RequestSent = z.looseObject({
  success,
  message,
  request_id: z.string().describe("The id that links a request with its answer."),
  target: z.string().describe("The bare name of the recipient."),
  routing: never,
  recipients: never,
});

/** The result of a message that set an agent which had ended to work again. */
export const AgentResumed = z.looseObject({
  success,
  message,
  resumedAgentId: z.string().describe("The id of the agent, the same as before."),
  pin: z
    .looseObject({
      id: z.string().describe("The agent's id."),
      name: z.string().optional().describe("The name it was addressed by."),
      ref: z.string().optional().describe("Opaque."),
    })
    .optional()
    .describe("What the name stood for when the agent was resumed."),
  outputFile: z.string().optional().describe("Absolute path of the file that shows the agent's progress."),
  routing: never,
  request_id: never,
});

/**
 * The result of a message that is in no inbox: it was refused, or waits in memory for a running
 * agent.
 */
export const NothingWritten = z.looseObject({
  success: z.boolean().describe("False if the message was refused."),
  message,
  routing: never,
  recipients: never,
  request_id: never,
  resumedAgentId: never,
});

const meta = {
  title: "SendMessage output",
  description: "The result of a SendMessage call; the fields tell the kinds apart.",
};
const sent = {
  success: true as const,
  message: "Message sent to alice's inbox",
  routing: {
    sender: "team-lead",
    target: "@alice",
    targetColor: "blue",
    summary: "begin with the parser",
    content: "Please begin with the parser.",
  },
};

/** The result of SendMessage in revision 2026-02. */
export const SendMessageOutput202602 = z
  .union([MessageSent202602, BroadcastSent, RequestSent, AgentResumed, NothingWritten])
  .meta({ ...meta, examples: [sent] });
export type SendMessageOutput202602 = z.infer<typeof SendMessageOutput202602>;

/** The result of SendMessage in revision 2026-11, which has no broadcast. */
export const SendMessageOutput202611 = z
  .union([MessageSent202611, RequestSent, AgentResumed, NothingWritten])
  .meta({ ...meta, examples: [{ ...sent, msg_id: "3fccd7c9-8915-4dc5-80d5-606e992a2bc0" }] });
export type SendMessageOutput202611 = z.infer<typeof SendMessageOutput202611>;

/** A text that stands in an inbox. */
export interface Delivery {
  readonly sender: string;
  readonly senderColor?: string | undefined;
  readonly recipient: string;
  readonly recipientColor?: string | undefined;
  readonly summary: string;
  readonly content: string;
  /** That of the entry; a revision without message ids leaves it out. */
  readonly messageId: string;
}

type MessageSent = z.infer<typeof MessageSent202602> | z.infer<typeof MessageSent202611>;

/** The result of a text to one member. */
export function messageSent(revision: Revision, delivery: Delivery): MessageSent {
  const { sender, senderColor, recipient, recipientColor, summary, content, messageId } = delivery;
  const isLater = revision === "2026-11";
  return {
    success: true,
    message: `Message sent to ${recipient}'s inbox`,
    ...(isLater && { msg_id: messageId }),
    routing: {
      sender,
      ...(isLater && senderColor && { senderColor }),
      target: `@${recipient}`,
      ...(recipientColor && { targetColor: recipientColor }),
      summary,
      content,
    },
  };
}

/** The result of a broadcast; `recipients` are those that really got it. */
export const broadcastSent = (
  { sender, summary, content }: Pick<Delivery, "sender" | "summary" | "content">,
  recipients: readonly string[],
): z.infer<typeof BroadcastSent> => ({
  success: true,
  message: `Message broadcast to ${recipients.length} teammate(s): ${recipients.join(", ")}`,
  recipients: [...recipients],
  routing: { sender, target: "@team", summary, content },
});

/** The result of a shutdown request. */
export const shutdownRequestSent = (recipient: string, requestId: string): z.infer<typeof RequestSent> => ({
  success: true,
  message: `Shutdown request sent to ${recipient}. Request ID: ${requestId}`,
  request_id: requestId,
  target: recipient,
});

/** The result of an answer to a shutdown request or to a plan. */
export const answerSent = (recipient: string, requestId: string): z.infer<typeof RequestSent> => ({
  success: true,
  message: `Answer sent to ${recipient}. Request ID: ${requestId}`,
  request_id: requestId,
  target: recipient,
});

/** The result of a message to an unknown name. Nothing was written. */
export const recipientUnreachable = (recipient: string): z.infer<typeof NothingWritten> => ({
  success: false,
  message: `No agent named '${recipient}' is reachable. Use the bare name of a member, or the id of an agent.`,
});
