import { z } from "zod";
import { defineToolBoundary } from "./boundary.ts";
import { SendMessageOutput202602, SendMessageOutput202611 } from "./send-message-result.ts";

const recipient = z.string().min(1).describe("The member's bare name, not its id.");
const text = z.string().min(1).describe("What to say; it reaches the recipient unchanged.");
const summary = z.string().min(1).describe("The message in 5 to 10 words, for whoever only looks on.");
const request_id = z
  .string()
  .min(1)
  .max(300)
  .regex(/^[^\n\r]*$/)
  .describe("The id of the request that is answered.");
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
  type: z.literal("shutdown_request").describe("Asks a member to end."),
  recipient,
  content: reason.describe("Why it should."),
});
const ShutdownResponse = z.looseObject({
  type: z.literal("shutdown_response").describe("Answers a shutdown_request; goes to the lead."),
  request_id,
  approve: z.boolean().describe("True ends the member, false lets it go on."),
  content: reason.describe("Why it goes on."),
});
const PlanApprovalResponse = z.looseObject({
  type: z.literal("plan_approval_response").describe("Answers a plan_approval_request."),
  request_id,
  recipient,
  approve: z.boolean().describe("True lets the member carry the plan out, false sends it back to planning."),
  content: reason.describe("What the plan lacks."),
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

/** What stands in `message` where it is no text. */
export const StructuredMessage = z
  .discriminatedUnion("type", [
    z.looseObject({
      type: z.literal("shutdown_request").describe("Asks the member to end."),
      reason: reason.describe("Why it should."),
    }),
    z.looseObject({
      type: z.literal("shutdown_response").describe("Answers a shutdown_request."),
      request_id,
      approve: z.boolean().describe("True ends the sender, false lets it go on."),
      reason: reason.describe("Why it goes on."),
    }),
    z.looseObject({
      type: z.literal("plan_approval_response").describe("Answers a plan_approval_request."),
      request_id,
      approve: z.boolean().describe("True lets the member carry the plan out, false sends it back to planning."),
      feedback: z.string().optional().describe("What the plan lacks."),
    }),
  ])
  .meta({
    title: "Structured message",
    description: "A request or an answer of the shutdown and plan protocols, in the place of a text.",
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
      .union([z.string().describe("What to say."), StructuredMessage])
      .describe("A text, or a request or answer."),
    summary: z
      .string()
      .max(200)
      .optional()
      .describe("The message in few words; taken from the first line where it is missing."),
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

/** What a call of SendMessage may say in revision 2026-02: either form, a text never without a summary. */
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
