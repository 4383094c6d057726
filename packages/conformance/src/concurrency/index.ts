import type { Check } from "../check.ts";
import { claimRaces } from "./claim-races.ts";
import { configRaces } from "./config-races.ts";
import { foreignHolderChecks } from "./foreign-holder.ts";
import { inboxRaces } from "./inbox-races.ts";
import { lockManners } from "./lock-manners.ts";
import { taskRaces } from "./task-races.ts";
import { teamRaces } from "./team-races.ts";
import { tornChecks } from "./torn-reads.ts";

/** Histories of several processes, checked for an order that explains them. */
export const concurrencyChecks: readonly Check[] = [
  ...tornChecks,
  ...foreignHolderChecks,
  ...lockManners,
  ...inboxRaces,
  ...taskRaces,
  ...claimRaces,
  ...configRaces,
  ...teamRaces,
];
