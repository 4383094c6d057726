import type { Check } from "../../check.ts";
import { leadAgentChecks } from "./lead-agents.ts";
import { leadEndChecks } from "./lead-ends.ts";
import { leadForkChecks } from "./lead-forks.ts";
import { leadModeChecks } from "./lead-modes.ts";
import { leadTeamChecks } from "./lead-team.ts";
import { mateEndChecks } from "./mate-ends.ts";
import { mateMailChecks } from "./mate-mail.ts";
import { matePermissionChecks } from "./mate-permission.ts";
import { matePlanChecks } from "./mate-plan.ts";
import { mateTurnChecks } from "./mate-turns.ts";

/** What sessions do that the target's own commands start. */
export const sessionChecks: readonly Check[] = [
  ...mateTurnChecks,
  ...mateMailChecks,
  ...mateEndChecks,
  ...leadTeamChecks,
  ...leadEndChecks,
  ...matePlanChecks,
  ...matePermissionChecks,
  ...leadModeChecks,
  ...leadAgentChecks,
  ...leadForkChecks,
];
