import type { Store, Team } from "@troupe/store";
import type { Incoming, Membership, TurnEnd } from "@troupe/team";

/** What one client of a team may see. */
export interface Room {
  readonly store: Store;
  readonly team: Team;
  readonly now: () => Date;
  /** The member that the client is; undefined where it only looks. */
  readonly self: string | undefined;
}

/** What a client may do that is a member of the team. */
export interface Seat extends Room {
  readonly self: string;
  readonly membership: Membership;
  /** Waits for mail until the signal fires; the mail that was handed out before is then its own. */
  read(signal: AbortSignal, end?: TurnEnd): Promise<readonly Incoming[]>;
  /**
   * The requests of this id that wait for its answer, of one member each, which makes its ids as it
   * likes. Those that were handed out belong to the client from here on.
   */
  requestsOf(id: string): Promise<readonly OpenRequest[]>;
}

/** A request of another member that waits for an answer. */
export interface OpenRequest {
  readonly id: string;
  readonly from: string;
  readonly kind: "permission" | "plan" | "shutdown";
}

/** What a client may do that leads the team. */
export interface LeadSeat extends Seat {
  readonly crew: Crew;
}

/** The teammates that a lead starts and ends. */
export interface Crew {
  spawn(wish: CrewWish, signal: AbortSignal): Promise<CrewMember>;
  /** Ends it at once, with all of its processes; true when it is gone from the team. */
  end(name: string): Promise<boolean>;
}

export interface CrewWish {
  readonly name: string;
  readonly prompt: string;
  readonly agentType?: string | undefined;
  readonly model?: string | undefined;
  readonly backend?: string | undefined;
}

export interface CrewMember {
  readonly name: string;
  readonly backend: string;
  readonly model: string;
}
