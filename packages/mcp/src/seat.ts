import { randomUUID } from "node:crypto";
import type { Participant, Store, Team } from "@troupe/store";
import {
  type ClientSeat,
  type Ledger,
  type MembershipDeps,
  memoryLedger,
  openMembership,
  takeClientSeat,
} from "@troupe/team";
import type { Hand, Seat } from "./room.ts";

export interface HandDeps extends Pick<MembershipDeps, "now" | "show" | "isSpawned" | "hasKey"> {
  readonly store: Store;
  readonly team: Team;
  readonly self: Participant;
  /** The name of who leads, which may be this one. */
  readonly lead: string;
}

export interface SeatDeps extends HandDeps, Pick<MembershipDeps, "plans" | "spawner"> {
  /** What it knows of its mail, also in the process after one that was killed. */
  readonly ledger: Ledger;
}

/** A seat that was taken, until it is given up. */
export interface TakenSeat extends Seat, Pick<ClientSeat, "left" | "close"> {}

/** Takes the seat of a client, whose mail comes to it from here on. */
export async function takeSeat({ store, ...deps }: SeatDeps): Promise<TakenSeat> {
  const { team, self, now } = deps;
  const seat = await takeClientSeat({ ...deps, kind: "mcp", newId: randomUUID });
  await seat.ready();
  return { store, team, now, self: self.name, ...seat };
}

/** A hand that was lent, until it is given back. */
export interface LentHand extends Hand, Pick<TakenSeat, "close"> {}

/** Lets a program act as a member whose mail comes to it in another way. */
export function lendHand({ store, ...deps }: HandDeps): LentHand {
  const { team, self, now } = deps;
  const ledger = memoryLedger();
  const membership = openMembership({ ...deps, ledger: () => ledger, newId: randomUUID });
  return { store, team, now, self: self.name, membership, close: membership.close };
}
