import { isTroupeError, nameKey, peerSummary } from "@troupe/protocol";
import { broadcastSent, messageSent, type SendMessageRequest } from "@troupe/protocol/tools";
import type { Participant, Team } from "@troupe/store";
import { type RequestOf, refused, rosterEntry, type SendResult } from "./handshakes/handshake.ts";
import type { PlanHandshake } from "./handshakes/plan.ts";
import type { ShutdownHandshake } from "./handshakes/shutdown.ts";
import { revisionOf } from "./words.ts";

export interface RouterDeps {
  readonly team: Pick<Team, "config" | "form">;
  readonly self: Pick<Participant, "name" | "send">;
  /** The name of who leads, which may be this one. */
  readonly lead: string;
  readonly shutdown: Pick<ShutdownHandshake, "request" | "answer">;
  readonly plan: Pick<PlanHandshake, "answer">;
}

export interface Router {
  /**
   * Carries a message to members of the team; undefined where nobody of that name is one. Success
   * means that it is on disk.
   */
  send(request: SendMessageRequest): Promise<SendResult | undefined>;
  /** What the last message to a peer was about, as the lead is told of it; given once. */
  takePeerSummary(): string | undefined;
}

/**
 * Whom a member may write to, and what: anybody in words; requests to end and answers to plans are
 * the lead's alone.
 */
export function createRouter({ team, self, lead, shutdown, plan }: RouterDeps): Router {
  const isLead = self.name === lead;
  let summary: string | undefined;

  return {
    send,
    takePeerSummary() {
      const taken = summary;
      summary = undefined;
      return taken;
    },
  };

  async function send(request: SendMessageRequest): Promise<SendResult | undefined> {
    const { value, problems } = await team.config();
    // A client that writes in place leaves a torn file for a moment: nobody is unknown by that.
    const torn = value ? undefined : problems[0]?.message;
    if (torn !== undefined)
      return refused(`the members of the team cannot be read now (${torn}): nothing was sent, try again`);
    switch (request.kind) {
      case "message":
        return say(request);
      case "broadcast":
        return sayToAll(request);
      case "shutdown_request":
        return isLead
          ? shutdown.request(request)
          : refused(`only ${lead} can ask a member to end: tell ${lead} why it should`);
      case "shutdown_response":
        if (isLead) return refused("nobody asks a lead to end: there is nothing to answer");
        if (request.to === undefined || nameKey(request.to) === nameKey(lead)) return shutdown.answer(request);
        return refused(`the answer to a shutdown_request goes to ${lead}`);
      case "plan_approval_response":
        return isLead ? plan.answer(request) : refused(`only ${lead} can answer a plan: tell ${lead} what you think`);
    }
  }

  async function say({ to, text, summary: about, notifyWhenIdle, isUrgent }: RequestOf<"message">) {
    const member = await rosterEntry(team, to);
    if (!member) return undefined;
    if (member.name === self.name) return refused(`you are ${self.name} yourself: write to somebody else`);
    if (text === "" && notifyWhenIdle)
      return isLead
        ? { success: true, message: `A lead is always told when ${member.name} is idle; nothing was sent.` }
        : refused(`only ${lead} is told when a member is idle: ask ${member.name} for an answer`);
    const { entry } = await self.send(member.name, { text, summary: about, urgent: isUrgent });
    if (!isLead && member.name !== lead) summary = peerSummary(member.name, about);
    return messageSent(revisionOf(team.form), {
      sender: self.name,
      senderColor: entry.color,
      recipient: member.name,
      recipientColor: member.color,
      summary: about,
      content: text,
      messageId: entry.msg_id ?? "",
    });
  }

  /** Who leaves meanwhile is not among those who got it. */
  async function sayToAll({ text, summary: about }: RequestOf<"broadcast">) {
    const { value } = await team.config();
    const others = (value?.members ?? []).map(({ name }) => name).filter((name) => name !== self.name);
    const sent = await Promise.allSettled(others.map((name) => self.send(name, { text, summary: about })));
    const faults = sent.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    const fault = faults.find((one) => !isTroupeError(one) || one.code !== "recipient_unknown");
    const reached = others.filter((_, at) => sent[at]?.status === "fulfilled");
    if (fault && reached.length === 0) throw fault;
    return broadcastSent({ sender: self.name, summary: about, content: text }, reached);
  }
}
