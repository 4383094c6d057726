import { backendOf, type MessageBody, makeShutdownId, nameKey } from "@troupe/protocol";
import { answerSent, shutdownAnswerBody, shutdownRequestBody, shutdownRequestSent } from "@troupe/protocol/tools";
import type { Message } from "@troupe/store";
import { agreementOf, decisionOf, exchangeOf, hasAgreed } from "../ledger/fold.ts";
import type { Reply } from "../person.ts";
import { howToAnswerShutdown } from "../words.ts";
import {
  bodyOf,
  type HandshakeDeps,
  heard,
  type RequestOf,
  refused,
  rosterEntry,
  type SendResult,
  type Taken,
} from "./handshake.ts";

export interface ShutdownHandshakeDeps extends HandshakeDeps {
  /**
   * Of a teammate: its lead has started it, and takes it out of the team. One that joined by itself
   * leaves by itself.
   */
  readonly isSpawned: boolean;
  /**
   * Of a lead: ends where a member ran that it added and takes it out of the team; says so in the
   * words for its model. It can be repeated.
   */
  readonly remove: (name: string) => Promise<string | undefined>;
  /** Of a teammate that has agreed by a reply of its own: ends it. */
  readonly leave: () => Promise<void>;
}

/** A lead asks a teammate to end; it agrees and is gone after its turn, or refuses and goes on. */
export interface ShutdownHandshake {
  /** Undefined where nobody of that name is in the team. */
  request(request: RequestOf<"shutdown_request">): Promise<SendResult | undefined>;
  take(message: Message): Promise<Taken | undefined>;
  /** The answer of the teammate's model. */
  answer(request: RequestOf<"shutdown_response">): Promise<SendResult>;
  /** True once it has agreed, also in a process before this one: the turn it is in was its last. */
  isLeaving(): boolean;
  /**
   * Once it has agreed: its lead is told, if that was cut short, and one that joined by itself
   * leaves the team. It may be repeated.
   */
  takeLeave(): Promise<void>;
}

type Agreement = Extract<MessageBody, { readonly type: "shutdown_approved" }>;

const handshake = "shutdown";

export function shutdownHandshake(deps: ShutdownHandshakeDeps): ShutdownHandshake {
  const { team, self, lead, isSpawned, ledger, answers, remove, leave, signal, now } = deps;
  const isLead = self.name === lead;
  /** What the lead's model is told of members that are gone. */
  const removed = new Map<string, Promise<string | undefined>>();
  const isLeaving = () => hasAgreed(ledger().state());

  return {
    request,
    answer,
    isLeaving,
    take: async (message) => (isLead ? takeAnswer(message) : takeRequest(message)),

    async takeLeave() {
      const agreed = agreementOf(ledger().state());
      // A team that is gone, or one that has let it go, has nothing to be told.
      if (!agreed || !(await rosterEntry(team, self.name))) return;
      await answers.finish(agreed);
      if (isSpawned) return;
      await team.leave(self.name);
      if (!ledger().state().hasLeft) ledger().append({ kind: "left" });
    },
  };

  async function request({ to, reason }: RequestOf<"shutdown_request">) {
    const member = await rosterEntry(team, to);
    if (!member) return undefined;
    if (member.name === lead) return refused(`${lead} leads the team to its end: it cannot be asked to end before`);
    const at = now();
    const requestId = makeShutdownId(at.getTime(), member.name);
    ledger().append({ kind: "asked", handshake, id: requestId, to: member.name });
    const stamp = { requestId, from: self.name, timestamp: at.toISOString() };
    await self.send(member.name, { body: shutdownRequestBody({ reason }, stamp) });
    return shutdownRequestSent(member.name, requestId);
  }

  /** A member that says of itself that it ends has ended, whether this or another lead asked. */
  async function takeAnswer(message: Message): Promise<Taken | undefined> {
    const { from } = message.entry;
    const refusal = bodyOf(deps, message, "shutdown_rejected");
    if (refusal) {
      const isAsked = ledger().state().asked.get(refusal.requestId)?.to === from;
      const settles = { handshake, id: refusal.requestId, result: "denied", why: refusal.reason } as const;
      return isAsked ? heard(message, [], { settles }) : undefined;
    }
    const body = bodyOf(deps, message, "shutdown_approved");
    if (!body || !isOwn(body, from) || nameKey(from) === nameKey(self.name)) return undefined;
    const key = exchangeOf(from, body.requestId);
    const words = removed.get(key) ?? remove(from);
    removed.set(key, words);
    // What failed is done again at the next look.
    words.catch(() => removed.delete(key));
    return heard(message, [(await words) ?? []].flat(), {
      settles: { handshake, id: body.requestId, result: "allowed" },
    });
  }

  function takeRequest(message: Message): Taken | undefined {
    const body = bodyOf(deps, message, "shutdown_request");
    if (!body || message.entry.from !== lead) return undefined;
    const { requestId: id, reason = "" } = body;
    const key = exchangeOf(lead, id);
    const decision = decisionOf(ledger().state(), lead, id);
    if (decision?.isSent || ledger().state().open.has(key)) return "done";
    if (decision || answers.isServing(key)) return "waits";
    const reply = deps.ask({ kind: handshake, id, from: { name: lead }, reason });
    if (!reply) return heard(message, [howToAnswerShutdown(lead, id)], { opens: { handshake, id } });
    const given = reply.then((one) => (signal.aborted ? undefined : decided(id, one)));
    return answers.serve(key, lead, given, () => (isLeaving() ? leave() : undefined));
  }

  function decided(id: string, reply: Reply): Promise<void> {
    return decide(id, reply.behavior === "allow", reply.behavior === "deny" ? reply.message : "");
  }

  async function answer({ requestId, approve, reason }: RequestOf<"shutdown_response">): Promise<SendResult> {
    if (decisionOf(ledger().state(), lead, requestId)) return refused(`${requestId} is answered already`);
    const open = ledger().state().open.get(exchangeOf(lead, requestId));
    if (open?.handshake !== handshake)
      return refused(`${lead} has not asked you to end under the id ${JSON.stringify(requestId)}`);
    await decide(requestId, approve, reason);
    return answerSent(lead, requestId);
  }

  async function decide(requestId: string, approve: boolean, reason: string): Promise<void> {
    const { tmuxPaneId: paneId, ...entry } = (await rosterEntry(team, self.name)) ?? {};
    const about = { handshake, id: requestId, to: lead, result: approve ? "allowed" : "denied" } as const;
    await answers.give(about, (timestamp) =>
      shutdownAnswerBody(
        { requestId, approve, reason },
        { from: self.name, timestamp, paneId, backendType: backendOf(entry) },
      ),
    );
  }
}

const isOwn = (body: Agreement, from: string): boolean => (body.from ?? from) === from;
