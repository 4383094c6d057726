import { isTroupeError, makeShutdownId, nameKey, peerSummary } from "@troupe/protocol";
import {
  broadcastSent,
  messageSent,
  type SendMessageOutput202602,
  type SendMessageRequest,
  shutdownRequestBody,
  shutdownRequestSent,
} from "@troupe/protocol/tools";
import type { Participant, Team } from "@troupe/store";
import { memberNamed, revisionOf } from "./roster.ts";

/** One sort of request. */
export type RequestOf<Kind extends SendMessageRequest["kind"]> = Extract<SendMessageRequest, { readonly kind: Kind }>;

export interface RouterDeps {
  readonly team: Pick<Team, "config" | "form">;
  readonly self: Pick<Participant, "name" | "send">;
  /** The name of whoever leads, which may be this one. */
  readonly lead: string;
  readonly now: () => Date;
  /** Answers a request to end; a lead is asked for no such thing. */
  readonly answerShutdown?: (request: RequestOf<"shutdown_response">) => Promise<SendMessageOutput202602>;
  /** Answers a plan, which only a lead may. Undefined where nobody of that name is in the team. */
  readonly answerPlan?: (request: RequestOf<"plan_approval_response">) => Promise<SendMessageOutput202602 | undefined>;
}

export interface Router {
  /** Carries a message to members of the team; undefined where nobody of that name is one. Success means that it is on disk. */
  route(request: SendMessageRequest): Promise<SendMessageOutput202602 | undefined>;
  /** What the last message to a peer was about, as the lead is told of it; given once. */
  takePeerSummary(): string | undefined;
}

/** Nothing was sent, and why. */
export const refused = (message: string): SendMessageOutput202602 => ({ success: false, message });

/** Whom a member may write to, and what: anybody in words; requests to end and answers to plans are the lead's alone. */
export function createRouter(deps: RouterDeps): Router {
  const { team, self, lead, now, answerShutdown, answerPlan } = deps;
  const isLead = self.name === lead;
  let summary: string | undefined;

  return {
    route,
    takePeerSummary() {
      const taken = summary;
      summary = undefined;
      return taken;
    },
  };

  async function route(request: SendMessageRequest): Promise<SendMessageOutput202602 | undefined> {
    switch (request.kind) {
      case "message":
        return say(request);
      case "broadcast":
        return sayToAll(request);
      case "shutdown_request":
        return isLead ? askToEnd(request) : refused(`only ${lead} can ask a member to end: tell ${lead} why it should`);
      case "shutdown_response":
        if (!answerShutdown) return refused("nobody asks a lead to end: there is nothing to answer");
        if (request.to === undefined || nameKey(request.to) === nameKey(lead)) return answerShutdown(request);
        return refused(`the answer to a shutdown_request goes to ${lead}`);
      case "plan_approval_response":
        return answerPlan
          ? answerPlan(request)
          : refused(`only ${lead} can answer a plan: tell ${lead} what you think`);
    }
  }

  async function say({ to, text, summary: about, notifyWhenIdle }: RequestOf<"message">) {
    const member = await memberNamed(team, to);
    if (!member) return undefined;
    if (member.name === self.name) return refused(`you are ${self.name} yourself: write to somebody else`);
    if (text === "" && notifyWhenIdle)
      return isLead
        ? { success: true, message: `A lead is always told when ${member.name} is idle; nothing was sent.` }
        : refused(`only ${lead} is told when a member is idle: ask ${member.name} for an answer`);
    const { entry } = await self.send(member.name, { text, summary: about });
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

  async function askToEnd({ to, reason }: RequestOf<"shutdown_request">) {
    const member = await memberNamed(team, to);
    if (!member) return undefined;
    if (member.name === lead) return refused(`${lead} leads the team to its end: it cannot be asked to end before`);
    const at = now();
    const requestId = makeShutdownId(at.getTime(), member.name);
    const stamp = { requestId, from: self.name, timestamp: at.toISOString() };
    await self.send(member.name, { body: shutdownRequestBody({ reason }, stamp) });
    return shutdownRequestSent(member.name, requestId);
  }
}
