import { randomUUID } from "node:crypto";
import { messageOf } from "@troupe/protocol";
import type { Participant, Store, Team } from "@troupe/store";
import {
  clientMember,
  type Ledger,
  type MembershipDeps,
  openMembership,
  type TeamEvent,
  type TurnEnd,
  tellActive,
  tellReady,
} from "@troupe/team";
import type { Seat } from "./room.ts";

export interface SeatDeps extends Pick<MembershipDeps, "plans" | "isSpawned" | "hasKey" | "spawner"> {
  readonly store: Store;
  readonly team: Team;
  readonly self: Participant;
  /** The name of who leads, which may be this one. */
  readonly lead: string;
  /** What it knows of its mail, also in the process after one that was killed. */
  readonly ledger: Ledger;
  readonly now: () => Date;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
}

/** A seat that was taken, until it is given up. */
export interface TakenSeat extends Seat {
  /** Resolves once the member has agreed to end. */
  readonly left: Promise<void>;
  close(): Promise<void>;
}

/** Takes the seat of a client. */
export async function takeSeat(deps: SeatDeps): Promise<TakenSeat> {
  const { store, team, self, lead, ledger, plans, isSpawned, hasKey, spawner, now, show } = deps;
  const closing = new AbortController();
  const membership = openMembership({
    team,
    self,
    lead,
    plans,
    isSpawned,
    hasKey,
    spawner,
    now,
    show,
    ledger: () => ledger,
    newId: randomUUID,
  });
  const member = clientMember({ ledger, offer: membership.offer });
  const record = (event: TeamEvent): Promise<void> =>
    self.record(event).catch((error: unknown) => show(`the team's history has no ${event.kind}: ${messageOf(error)}`));
  if (!membership.isLead) await tellReady(team, self).catch((error: unknown) => show(messageOf(error)));
  const attending = membership.attend({ ...member, turnEnded }, closing.signal);
  attending.catch((error: unknown) => show(`the mail of ${self.name} is heard no more: ${messageOf(error)}`));
  let isAtWork = true;

  async function turnEnded(signal: AbortSignal): Promise<TurnEnd | undefined> {
    const end = await member.turnEnded(signal);
    if (end) await rest(end);
    return end;
  }

  async function rest({ failure }: TurnEnd): Promise<void> {
    if (!isAtWork) return;
    isAtWork = false;
    await record({ kind: "turn", phase: "ended", why: failure?.why ?? "end_turn" });
    if (!membership.isLead) await record({ kind: "idle" });
  }

  async function work(): Promise<void> {
    if (isAtWork) return;
    isAtWork = true;
    await record({ kind: "turn", phase: "began" });
    await tellActive(membership, true);
  }

  return {
    store,
    team,
    now,
    self: self.name,
    membership,
    left: attending,

    async read(signal, end) {
      // What it does next is recorded behind it.
      if (end) await rest(end);
      const messages = await member.read(signal, end);
      if (messages.length > 0) await work();
      return messages;
    },

    async requestsOf(id) {
      await member.answers(id);
      const open = [...ledger.state().open.values()].filter((one) => one.id === id);
      return open.map(({ from, handshake }) => ({ id, from, kind: handshake }));
    },

    async close() {
      closing.abort();
      await member.stop("left");
      await attending.catch(() => {});
      await membership.close();
    },
  };
}
