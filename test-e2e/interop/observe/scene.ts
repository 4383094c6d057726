import type { RealLead } from "../real-lead.ts";
import type { Stage } from "../stage.ts";
import type { SeenEntries } from "./entries.ts";
import type { Observe } from "./facts.ts";

/** A lead of the client with a team, and what is noted of it. */
export interface Scene {
  readonly stage: Stage;
  readonly lead: RealLead;
  /** The team's name, its directory, and the root that it lies in. */
  readonly name: string;
  readonly team: string;
  readonly root: string;
  readonly entries: SeenEntries;
  readonly observe: Observe;
}
