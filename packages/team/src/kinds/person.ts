import { inTurn } from "@troupe/store";
import type { Ledger } from "../ledger/ledger.ts";
import type { Member } from "../member.ts";
import { type Question, type Reply, takenBack } from "../person.ts";

/** A screen at which somebody takes part in a team. */
export interface Screen {
  /** Resolves once it was drawn where it is seen. */
  show(text: string): Promise<void>;
  ask(question: Question, signal: AbortSignal): Promise<Reply>;
  close(): Promise<void>;
}

/** A person as a member: what is drawn is heard, and questions come one at a time. */
export function personMember({ screen, ledger }: { readonly screen: Screen; readonly ledger: Ledger }): Member {
  const turn = inTurn();
  const closing = new AbortController();
  return {
    kind: "person",
    async hear(messages) {
      const owned: string[] = [];
      for (const { message, texts, entry } of messages) {
        if (closing.signal.aborted) break;
        await screen.show(texts.join("\n"));
        ledger.append(entry);
        owned.push(message.key);
      }
      return owned;
    },
    turnEnded: async () => undefined,
    ask(question, signal) {
      const either = AbortSignal.any([signal, closing.signal]);
      return turn(() => (either.aborted ? takenBack : screen.ask(question, either)));
    },
    async stop() {
      closing.abort();
      await screen.close();
    },
  };
}
