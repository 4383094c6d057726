import type { Check } from "../../check.ts";
import { leadEndChecks } from "./lead-ends.ts";
import { leadTeamChecks } from "./lead-team.ts";
import { mateEndChecks } from "./mate-ends.ts";
import { mateMailChecks } from "./mate-mail.ts";
import { mateTurnChecks } from "./mate-turns.ts";

/** What sessions do that the target's own commands start. */
export const sessionChecks: readonly Check[] = [
  ...mateTurnChecks,
  ...mateMailChecks,
  ...mateEndChecks,
  ...leadTeamChecks,
  ...leadEndChecks,
];
