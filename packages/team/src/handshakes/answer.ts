import { isTroupeError, type MessageDraft } from "@troupe/protocol";
import type { Participant } from "@troupe/store";
import type { Decided, Handshake } from "../ledger/entry.ts";
import { type Decision, exchangeOf } from "../ledger/fold.ts";
import type { Ledger } from "../ledger/ledger.ts";

export interface AnswersDeps {
  readonly self: Pick<Participant, "send">;
  readonly ledger: () => Ledger;
  readonly now: () => Date;
  readonly newId: () => string;
}

/**
 * Decided, sent, answered: three steps that are done to their end also by the process after this
 * one.
 */
export interface Answers {
  /** What was decided about a request. */
  decision(to: string, id: string): Decision | undefined;
  /** Writes down what was decided, sends it, and writes down that it is sent. */
  give(
    about: Pick<Decided, "handshake" | "id" | "to" | "result">,
    bodyAt: (timestamp: string) => MessageDraft,
  ): Promise<void>;
  /** Sends what was decided, in the same bytes, where that was cut short. */
  resume(decision: Decision): Promise<void>;
  /** Decisions of a sort that were not sent. */
  unsent(handshake: Handshake): readonly Decision[];
}

export function createAnswers({ self, ledger, now, newId }: AnswersDeps): Answers {
  const sending = new Map<string, Promise<void>>();
  const decision = (to: string, id: string) => ledger().state().decided.get(exchangeOf(to, id));

  async function resume(found: Decision): Promise<void> {
    if (found.isSent) return;
    const key = JSON.stringify([exchangeOf(found.to, found.id), found.stamp.id]);
    const before = sending.get(key) ?? send(found).finally(() => sending.delete(key));
    sending.set(key, before);
    return before;
  }

  async function send({ handshake, id, to, body, stamp }: Extract<Decision, { isSent: false }>): Promise<void> {
    try {
      await self.send(to, { body }, stamp);
    } catch (error) {
      // Who has left hears nothing any more, however often it is tried.
      if (isTroupeError(error) && error.code === "recipient_unknown") done();
      throw error;
    }
    done();

    function done() {
      ledger().append({ kind: "answered", handshake, id, to });
    }
  }

  return {
    decision,
    resume,
    async give(about, bodyAt) {
      const stamp = { at: now().toISOString(), id: newId() };
      ledger().append({ kind: "decided", ...about, body: bodyAt(stamp.at), stamp });
      const found = decision(about.to, about.id);
      if (found) await resume(found);
    },
    unsent: (handshake) =>
      [...ledger().state().decided.values()].filter((one) => one.handshake === handshake && !one.isSent),
  };
}
