import type { Store, Team } from "@troupe/store";
import type { ClientSeat, Membership } from "@troupe/team";

/** What one client of a team may see. */
export interface Room {
  readonly store: Store;
  readonly team: Team;
  readonly now: () => Date;
  /** The member that the client is; undefined where it only looks. */
  readonly self: string | undefined;
}

/** What a client may do that acts as a member of the team. */
export interface Hand extends Room {
  readonly self: string;
  readonly membership: Membership;
}

/** What a client may do whose mail comes to it here. */
export interface Seat extends Hand, Pick<ClientSeat, "read" | "requestsOf"> {}

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
