import { z } from "zod";
import { isObject } from "../json/is-object.ts";
import { type Problem, problemsOf } from "../problems.ts";
import type { Revision } from "../revisions/revision.ts";
import { AddressedSendMessage, AddressedText202602, StructuredMessage, TypedSendMessage } from "./send-message.ts";

/** A call of SendMessage, whichever form it had. */
export type SendMessageRequest =
  | {
      readonly kind: "message";
      readonly to: string;
      readonly text: string;
      readonly summary: string;
      readonly notifyWhenIdle: boolean;
      /**
       * A further field of ours, `urgent`: the recipient's request to the model is ended for it.
       */
      readonly isUrgent?: true;
    }
  | { readonly kind: "broadcast"; readonly text: string; readonly summary: string }
  | { readonly kind: "shutdown_request"; readonly to: string; readonly reason: string }
  | {
      readonly kind: "shutdown_response";
      /** Undefined where the call does not say: the answer goes to the lead. */
      readonly to: string | undefined;
      readonly requestId: string;
      readonly approve: boolean;
      readonly reason: string;
    }
  | {
      readonly kind: "plan_approval_response";
      readonly to: string;
      readonly requestId: string;
      readonly approve: boolean;
      readonly feedback: string;
    };

/** Either a request or the problems that stand in its way. */
export interface NormalisedSendMessage {
  readonly request?: SendMessageRequest;
  readonly problems: readonly Problem[];
}

/**
 * One schema per type, so that a problem names fields of that type; a union only says that nothing
 * fits.
 */
const typedForms: Readonly<Record<Revision, ReadonlyMap<unknown, z.ZodType>>> = {
  "2026-02": new Map(TypedSendMessage.options.map((form) => [form.shape.type.value, form])),
  "2026-11": new Map(
    TypedSendMessage.options.map((form) => [
      form.shape.type.value,
      "summary" in form.shape ? form.extend({ summary: AddressedSendMessage.shape.summary }) : form,
    ]),
  ),
};
const structuredForms: ReadonlyMap<unknown, z.ZodType> = new Map(
  StructuredMessage.options.map((form) => [form.shape.type.value, AddressedSendMessage.extend({ message: form })]),
);
const textForms: Readonly<Record<Revision, z.ZodType>> = {
  "2026-02": AddressedText202602,
  "2026-11": AddressedSendMessage.extend({ message: z.string() }),
};
const AnyTyped = z.looseObject({ type: z.enum(TypedSendMessage.options.map(({ shape }) => shape.type.value)) });
const AnyStructured = AddressedSendMessage.extend({
  message: z.looseObject({ type: z.enum(StructuredMessage.options.map(({ shape }) => shape.type.value)) }),
});

/**
 * Reads a call in either form under either revision. Never throws. In 2026-02 a text needs a
 * summary and may go to all; in 2026-11 a missing summary is taken from the text and there is no
 * broadcast.
 */
export function normaliseSendMessage(input: unknown, revision: Revision): NormalisedSendMessage {
  if (isObject(input))
    return Object.hasOwn(input, "type") ? fromTyped(input, revision) : fromAddressed(input, revision);
  return refused("", "the call is not an object", "send an object with /to and /message");
}

/** The first line of a text that is not blank, cut at 200 characters, as a summary of it. */
export function summaryOf(text: string): string {
  const line = /\S[^\n\r]*/.exec(text)?.[0].slice(0, 200) ?? "";
  const halfCharacter = /[\uD800-\uDBFF]$/;
  return line.replace(halfCharacter, "").trimEnd();
}

function fromTyped(input: Record<string, unknown>, revision: Revision): NormalisedSendMessage {
  const form = typedForms[revision].get(input["type"]) ?? AnyTyped;
  const read = form.safeParse(input);
  if (!read.success) return { problems: problemsOf(read.error, input) };
  const call = read.data as TypedSendMessage;
  switch (call.type) {
    case "message": {
      const summary = call.summary || summaryOf(call.content);
      return addressed(
        { kind: "message", to: call.recipient, text: call.content, summary, notifyWhenIdle: false, ...urgency(call) },
        "/recipient",
        revision,
      );
    }
    case "broadcast":
      if (revision === "2026-02")
        return { request: { kind: "broadcast", text: call.content, summary: call.summary }, problems: [] };
      return refused(
        "/type",
        "there is no broadcast: a message goes to one teammate",
        "send one message to each teammate",
      );
    case "shutdown_request":
      return addressed({ kind: call.type, to: call.recipient, reason: call.content ?? "" }, "/recipient", revision);
    case "shutdown_response": {
      const { request_id: requestId, approve, content: reason = "" } = call;
      return { request: { kind: call.type, to: undefined, requestId, approve, reason }, problems: [] };
    }
    case "plan_approval_response": {
      const { recipient: to, request_id: requestId, approve, content: feedback = "" } = call;
      return addressed({ kind: call.type, to, requestId, approve, feedback }, "/recipient", revision);
    }
  }
}

function fromAddressed(input: Record<string, unknown>, revision: Revision): NormalisedSendMessage {
  const { message: content } = input;
  const form = isObject(content) ? (structuredForms.get(content["type"]) ?? AnyStructured) : textForms[revision];
  const read = form.safeParse(input);
  if (!read.success) return { problems: problemsOf(read.error, input) };
  const { to, message, summary, notify_when_idle: notifyWhenIdle = false } = read.data as AddressedSendMessage;
  if (typeof message === "string") {
    if (message === "" && !notifyWhenIdle)
      return refused("/message", "/message is empty", "write what there is to say");
    return addressed(
      { kind: "message", to, text: message, summary: summary || summaryOf(message), notifyWhenIdle, ...urgency(input) },
      "/to",
      revision,
    );
  }
  switch (message.type) {
    case "shutdown_request":
      return addressed({ kind: message.type, to, reason: message.reason ?? "" }, "/to", revision);
    case "shutdown_response": {
      const { request_id: requestId, approve, reason = "" } = message;
      return addressed({ kind: message.type, to, requestId, approve, reason }, "/to", revision);
    }
    case "plan_approval_response": {
      const { request_id: requestId, approve, feedback = "" } = message;
      return addressed({ kind: message.type, to, requestId, approve, feedback }, "/to", revision);
    }
  }
}

const urgency = ({ urgent }: { readonly [key: string]: unknown; readonly urgent?: unknown }): { isUrgent?: true } =>
  urgent === true ? { isUrgent: true } : {};

/** A recipient is one bare name; where there is a broadcast, a text to "*" is one. */
function addressed(
  request: Exclude<SendMessageRequest, { kind: "broadcast" }>,
  path: string,
  revision: Revision,
): NormalisedSendMessage {
  const { to } = request;
  if (to === "*" && revision === "2026-02") {
    if (request.kind === "message")
      return { request: { kind: "broadcast", text: request.text, summary: request.summary }, problems: [] };
    return refused(path, `a ${request.kind} cannot be broadcast`, "send it to each teammate by name");
  }
  if (to === undefined || (to.trim() !== "" && to !== "*" && !to.includes("@"))) return { request, problems: [] };
  return refused(
    path,
    `${path.slice(1)} must be a bare teammate name, not ${JSON.stringify(to)}`,
    "use one member's name alone",
  );
}

const refused = (path: string, message: string, fix: string): NormalisedSendMessage => ({
  problems: [{ path, code: "field_invalid", message, fix }],
});
