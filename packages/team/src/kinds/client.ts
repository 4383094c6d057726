import type { Ledger } from "../ledger/ledger.ts";
import type { Incoming, Member, TurnEnd } from "../member.ts";
import { createTurnEnds } from "./turn-ends.ts";

export interface ClientMemberDeps {
  readonly ledger: Ledger;
  /** Offers it its mail now; the `offer` of its membership. */
  readonly offer: () => Promise<unknown>;
}

/** A member that asks for its mail, call by call. */
export interface ClientMember extends Member {
  /**
   * Hands out what waits, and waits for it until the signal fires: then the list is empty. What the
   * call before it handed out belongs to the client from here on. A later call takes its place.
   * The lead is told the end of its turn where it says how that ended, or where nothing waits.
   */
  read(signal: AbortSignal, end?: TurnEnd): Promise<readonly Incoming[]>;
  /** The request of this id was handed out, and belongs to the client, since it answers it. */
  answers(id: string): Promise<void>;
}

/**
 * A client that cannot be woken: it calls for its mail, and shows by its next call that it has what
 * it was handed before. Of one that goes away in between the mail stays where it is.
 */
export function clientMember({ ledger, offer }: ClientMemberDeps): ClientMember {
  const ends = createTurnEnds();
  const acknowledged = new Set<string>();
  let handed: readonly Incoming[] = [];
  let hand: ((messages: readonly Incoming[]) => void) | undefined;
  let isAtWork = false;

  function handOut(messages: readonly Incoming[]): void {
    handed = messages;
    isAtWork ||= messages.length > 0;
    hand?.(messages);
    hand = undefined;
  }

  function endTurn(end: TurnEnd): void {
    isAtWork = false;
    ends.push(end);
  }

  return {
    kind: "mcp",
    hear(messages) {
      if (ends.isClosed()) return [];
      const owned = messages.filter(({ message }) => acknowledged.delete(message.key));
      for (const { entry } of owned) ledger.append(entry);
      const rest = messages.filter((one) => !owned.includes(one));
      if (hand && rest.length > 0) handOut(rest);
      return owned.map(({ message }) => message.key);
    },
    turnEnded: ends.next,
    ask: () => undefined,
    async stop() {
      ends.close();
      if (hand) handOut([]);
    },

    async read(signal, end) {
      if (hand) handOut([]);
      for (const { message } of handed) acknowledged.add(message.key);
      handed = [];
      if (ends.isClosed()) return [];
      if (end) endTurn(end);
      let give = (_: readonly Incoming[]): void => {};
      const given = new Promise<readonly Incoming[]>((resolve) => {
        give = resolve;
      });
      const isMine = () => hand === give;
      hand = give;
      const stop = () => {
        if (isMine()) handOut([]);
      };
      signal.addEventListener("abort", stop, { once: true });
      try {
        await offer();
        if (signal.aborted) stop();
        else if (isMine() && isAtWork) endTurn({ text: "" });
        return await given;
      } finally {
        signal.removeEventListener("abort", stop);
        stop();
      }
    },

    async answers(id) {
      const answered = handed.filter(({ entry }) => entry.opens?.id === id);
      for (const { message } of answered) acknowledged.add(message.key);
      handed = handed.filter((one) => !answered.includes(one));
      // What a read beside this one acknowledges may not stand in the ledger yet.
      if (acknowledged.size > 0) await offer();
    },
  };
}
