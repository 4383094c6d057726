import { AsyncLocalStorage } from "node:async_hooks";

/** The teammate as which code runs, where several share one process. */
export interface Identity {
  readonly agentId: string;
  readonly agentName: string;
  readonly teamName: string;
  /** The directory of the team's tasks. */
  readonly taskDir: string;
}

const identities = new AsyncLocalStorage<Identity>();

/** The teammate as which the caller runs; undefined in the lead and outside of any. */
export const teammateHere = (): Identity | undefined => identities.getStore();

/** Does the work, and all that it starts, as that teammate. */
export const asTeammate = <T>(identity: Identity, work: () => T): T => identities.run(identity, work);
