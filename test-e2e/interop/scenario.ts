import type { Checks } from "./checks.ts";
import type { InstalledClient } from "./client.ts";
import type { Stage, StageDeps } from "./stage.ts";

/** One way in which a client and Troupe share a team. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** It needs a server of PostgreSQL. */
  readonly isOnServer?: true;
  run(given: Given): Promise<void>;
}

export interface Given extends Checks {
  readonly client: InstalledClient;
  /** A stage of its own, which ends with the scenario. */
  open(more?: Pick<StageDeps, "more" | "answer">): Promise<Stage>;
  /** How long a scenario that lasts goes on. */
  readonly minutes: number;
  /** `main.js` of the command line. */
  readonly troupe: string;
  /** The folder of the repository. */
  readonly repository: string;
  /** An empty place on a server of PostgreSQL; only scenarios that need one are given it. */
  readonly database: string | undefined;
}
