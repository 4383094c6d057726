import { messageOf } from "@troupe/protocol";
import { tellActive } from "../activity.ts";
import type { TeamEvent } from "../events.ts";
import type { Handshake } from "../ledger/entry.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { recorder, recordRequests } from "../ledger/recorded.ts";
import type { Incoming, Member, TurnEnd } from "../member.ts";
import { type Membership, type MembershipDeps, openMembership } from "../membership.ts";
import { tellReady } from "../ready.ts";
import { clientMember } from "./client.ts";

export interface ClientSeatDeps extends Omit<MembershipDeps, "ledger" | "bridge" | "mode" | "leadWatch"> {
  /** What it knows of its mail, also in the process after one that was killed. */
  readonly ledger: Ledger;
  readonly kind: Extract<Member["kind"], "mcp" | "acp">;
  /** Told what waits each time that it is looked at. */
  readonly onWaiting?: (messages: readonly Incoming[]) => void;
  /** Decides about some questions itself; the rest it hears as messages. */
  readonly ask?: Member["ask"];
}

/** A request of another member that waits for an answer. */
export interface HeardRequest {
  readonly id: string;
  readonly from: string;
  readonly kind: Handshake;
}

/** The part in a team of a program that calls for its mail. */
export interface ClientSeat {
  readonly membership: Membership;
  /** Resolves once the member has agreed to end. */
  readonly left: Promise<void>;
  /** Waits for mail until the signal fires; the mail that was handed out before is then its own. */
  read(signal: AbortSignal, end?: TurnEnd): Promise<readonly Incoming[]>;
  /**
   * The requests of this id that wait for its answer, of one member each, which makes its ids as it
   * likes. Those that were handed out belong to the client from here on.
   */
  requestsOf(id: string): Promise<readonly HeardRequest[]>;
  /** Of a teammate: tells who started it that it is at work. */
  ready(): Promise<void>;
  /** Writes to the team's history; never rejects. */
  record(event: TeamEvent): Promise<void>;
  close(): Promise<void>;
}

/** Takes the seat of such a program, whose turns are recorded. */
export async function takeClientSeat({ ledger, kind, ask, onWaiting, ...deps }: ClientSeatDeps): Promise<ClientSeat> {
  const { team, self, show } = deps;
  const closing = new AbortController();
  const record = recorder(self, show);
  const recorded = recordRequests(ledger, record);
  const membership = openMembership({ ...deps, ledger: () => recorded });
  const client = clientMember({ ledger: recorded, offer: membership.offer });
  const hear: Member["hear"] = (messages) => {
    onWaiting?.(messages);
    return client.hear(messages);
  };
  const member: Member = { ...client, kind, hear, turnEnded, ask: ask ?? client.ask };
  const attending = membership.attend(member, closing.signal);
  attending.catch((error: unknown) => show(`the mail of ${self.name} is heard no more: ${messageOf(error)}`));
  let isAtWork = false;

  async function turnEnded(signal: AbortSignal): Promise<TurnEnd | undefined> {
    const end = await client.turnEnded(signal);
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
    membership,
    left: attending,
    record,

    async ready() {
      if (membership.isLead) return;
      await tellReady(team, self).catch((error: unknown) => show(messageOf(error)));
      await record({ kind: "idle" });
    },

    async read(signal, end) {
      // What it does next is recorded behind it.
      if (end) await rest(end);
      const messages = await client.read(signal, end);
      if (messages.length > 0) await work();
      return messages;
    },

    async requestsOf(id) {
      await client.answers(id);
      const open = [...ledger.state().open.values()].filter((one) => one.id === id);
      return open.map(({ from, handshake }) => ({ id, from, kind: handshake }));
    },

    async close() {
      closing.abort();
      await client.stop("left");
      await attending.catch(() => {});
      await membership.close();
    },
  };
}
