import { type Form, type InboxEntry, insideTags, type Revision } from "@troupe/protocol";
import type { TurnEnd } from "./member.ts";

const inAttribute: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Also control characters: a name with a line break in it cannot look like two lines. */
const attribute = (name: string, value: string | undefined): string =>
  value === undefined
    ? ""
    : ` ${name}="${value.replace(/[&<>"\p{Cc}]/gu, (sign) => inAttribute[sign] ?? `&#${sign.charCodeAt(0)};`)}"`;

/**
 * A message as the model sees it, word for word but for tags that would let a sender speak in the
 * name of another, or of ours.
 */
export function teammateMessage({ from, text, color, summary }: InboxEntry, isUnverified = false): string {
  const attributes = [
    attribute("teammate_id", from),
    attribute("color", color),
    attribute("summary", summary),
    attribute("verified", isUnverified ? "false" : undefined),
  ];
  return `<teammate-message${attributes.join("")}>\n${insideTags(text)}\n</teammate-message>`;
}

/** What is shown where one that has agreed to end is opened again. */
export const agreedToEnd = (name: string, lead: string): string =>
  `${name} agreed to end when ${lead} asked it to: it does no more work in its team`;

/** What a member said last, in a revision whose notice of idleness has no place for it. */
export const reportedTurn = (text: string): { text: string; summary: string } => ({
  text,
  summary: "report of a turn",
});

/**
 * What the lead is told of a turn that ended without its work being done; the notice that it ended
 * has no place for it.
 */
export const failedTurn = ({ why, message }: NonNullable<TurnEnd["failure"]>): { text: string; summary: string } => ({
  text: `My turn ended before its work was done: ${message}`,
  summary: `turn failed: ${why}`,
});

/** How a lead answers a plan. */
export const howToAnswerPlan = (from: string, requestId: string): string => {
  const call = sendMessage(from, { type: "plan_approval_response", request_id: requestId, approve: true });
  return `${from} changes nothing until you have answered. Approve the plan with SendMessage ${call}, or send it back with approve false and what it lacks in feedback.`;
};

/** How a teammate answers a request to end. */
export const howToAnswerShutdown = (lead: string, requestId: string): string => {
  const call = sendMessage(lead, { type: "shutdown_response", request_id: requestId, approve: true });
  return (
    `${lead} asks you to end. First leave what you have begun in order and tell whoever needs to know. Then agree with SendMessage ${call}, after which this ` +
    "turn is your last; or refuse with approve false and a reason, and go on."
  );
};

const sendMessage = (to: string, message: object): string => JSON.stringify({ to, message });

export const approvedAlready = "This plan is approved already; there is nothing to answer.";

const again = "Stay in plan mode, change the plan and call ExitPlanMode again.";

/** What the answer to a plan comes to. */
export const planWords = {
  approved: (mode: string) =>
    `[Plan Approved] Carry your plan out now. You have left plan mode and work in the mode ${mode}.`,
  rejected: (feedback = "No reason was given.") => `[Plan Rejected] ${feedback}\n${again}`,
  other: `[Plan Rejected] The approval is of another plan than yours.\n${again}`,
  peer: (lead: string) => `Only ${lead} can answer your plan: this changes nothing.`,
};

/** How an agent hears of an answer that came when its request did not wait any more. */
export const lateAnswer = (what: string, outcome: string): string =>
  `The answer to ${what} came after the request was given up: ${outcome}. Nothing was run for it; if the call is still wanted, make it again.`;

/**
 * In whose words a team is told of; what lies between the revisions makes its teams as the first
 * does.
 */
export const revisionOf = (form: Form): Revision => (form === "2026-11" ? form : "2026-02");
