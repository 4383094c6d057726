import { z } from "zod";
import { defineToolBoundary } from "./boundary.ts";
import { SendMessageOutput202602, SendMessageOutput202611 } from "./send-message-result.ts";

const recipient = z.string().min(1).describe("The member's bare name, not its id.");
const text = z.string().min(1).describe("The text; delivered unchanged.");
const summary = z.string().min(1).describe("A summary in 5 to 10 words, shown as a preview.");
const request_id = z
  .string()
  .min(1)
  .max(300)
  .regex(/^[^\n\r]*$/)
  .describe("The id of the request being answered.");
const reason = z.string().optional();

const Message = z.looseObject({
  type: z.literal("message").describe("To one member."),
  recipient,
  content: text,
  summary,
});
const Broadcast = z.looseObject({
  type: z.literal("broadcast").describe("To every other member, one copy each."),
  content: text,
  summary,
});
const ShutdownRequest = z.looseObject({
  type: z.literal("shutdown_request").describe("Asks a member to shut down."),
  recipient,
  content: reason.describe("The reason."),
});
const ShutdownResponse = z.looseObject({
  type: z.literal("shutdown_response").describe("Answers a shutdown_request; goes to the lead."),
  request_id,
  approve: z.boolean().describe("True: the member shuts down. False: it keeps running."),
  content: reason.describe("Why it keeps running."),
});
const PlanApprovalResponse = z.looseObject({
  type: z.literal("plan_approval_response").describe("Answers a plan_approval_request."),
  request_id,
  recipient,
  approve: z.boolean().describe("True: the member carries out the plan. False: it must revise the plan."),
  content: reason.describe("What is wrong with the plan."),
});

/** A call of SendMessage whose kind stands in `type`: the form revision 2026-02 writes. */
export const TypedSendMessage = z
  .discriminatedUnion("type", [Message, Broadcast, ShutdownRequest, ShutdownResponse, PlanApprovalResponse])
  .meta({
    title: "SendMessage input by type",
    description: "A message to one member or to all, or a request or answer of the shutdown and plan protocols.",
    examples: [
      {
        type: "message",
        recipient: "researcher",
        content: "Please begin with the parser.",
        summary: "begin with the parser",
      },
    ],
  });
export type TypedSendMessage = z.infer<typeof TypedSendMessage>;

/** The `message` of a call if it is not a text. */
export const StructuredMessage = z
  .discriminatedUnion("type", [
    z.looseObject({
      type: z.literal("shutdown_request").describe("Asks the member to shut down."),
      reason: reason.describe("The reason."),
    }),
    z.looseObject({
      type: z.literal("shutdown_response").describe("Answers a shutdown_request."),
      request_id,
      approve: z.boolean().describe("True: the sender shuts down. False: it keeps running."),
      reason: reason.describe("Why it keeps running."),
    }),
    z.looseObject({
      type: z.literal("plan_approval_response").describe("Answers a plan_approval_request."),
      request_id,
      approve: z.boolean().describe("True: the member carries out the plan. False: it must revise the plan."),
      feedback: z.string().optional().describe("What is wrong with the plan."),
    }),
  ])
  .meta({
    title: "Structured message",
    description: "A request or an answer of the shutdown and plan protocols, instead of a text.",
    examples: [{ type: "shutdown_request", reason: "All checks are done" }],
  });
export type StructuredMessage = z.infer<typeof StructuredMessage>;

const to = z
  .string()
  .max(300)
  .regex(/^[^\n\r]*$/);
const notify_when_idle = z.boolean().optional().describe("Tell the sender when the recipient is idle.");

/** A call of SendMessage whose recipient stands in `to`: the form revision 2026-11 writes. */
export const AddressedSendMessage = z
  .looseObject({
    to: to.describe("The bare name of the member, or the id of an agent; one line."),
    message: z
      .union([z.string().describe("The text."), StructuredMessage])
      .describe("A text, or a structured request or answer."),
    summary: z
      .string()
      .max(200)
      .optional()
      .describe("A short preview; if omitted, taken from the first line of the message."),
    notify_when_idle,
  })
  .meta({
    title: "SendMessage input",
    description: "A message to one member, or a request or answer of the shutdown and plan protocols.",
    examples: [
      {
        to: "flaky-investigator",
        message: "Focus on the Windows-only failures and compare the last two runs.",
        summary: "focus Windows failures",
      },
    ],
  });
export type AddressedSendMessage = z.infer<typeof AddressedSendMessage>;

const toOrAll = to.describe(
  'The bare name of the member, the id of an agent, or "*" for every other member; one line.',
);

/** A text in the form of `to`, as revision 2026-02 asks for it. */
export const AddressedText202602 = z.looseObject({ to: toOrAll, message: text, summary, notify_when_idle });

/** The SendMessage input of revision 2026-02: either form; a text always needs a summary. */
export const SendMessageInput202602 = z
  .union([TypedSendMessage, AddressedText202602, AddressedSendMessage.extend({ message: StructuredMessage })])
  .meta({
    title: "SendMessage input",
    description: "A message to one member or to all, or a request or answer of the shutdown and plan protocols.",
    examples: [
      {
        type: "message",
        recipient: "researcher",
        content: "Please begin with the parser.",
        summary: "begin with the parser",
      },
    ],
  });
export type SendMessageInput202602 = z.infer<typeof SendMessageInput202602>;

/** The SendMessage tool. */
export const sendMessageTool = defineToolBoundary({
  name: "SendMessage",
  aliases: [],
  input: { "2026-02": SendMessageInput202602, "2026-11": AddressedSendMessage },
  output: { "2026-02": SendMessageOutput202602, "2026-11": SendMessageOutput202611 },
});
