import type { Check } from "../../check.ts";
import { definitionPartChecks } from "./definition-parts.ts";
import { definitionChecks } from "./definitions.ts";
import { leadAgentChecks } from "./lead-agents.ts";
import { leadEndChecks } from "./lead-ends.ts";
import { leadForkChecks } from "./lead-forks.ts";
import { leadModeChecks } from "./lead-modes.ts";
import { leadNoticeChecks } from "./lead-notices.ts";
import { leadOtherChecks } from "./lead-others.ts";
import { leadPermissionChecks } from "./lead-permission.ts";
import { leadTeamChecks } from "./lead-team.ts";
import { mateCareChecks } from "./mate-care.ts";
import { mateEndChecks } from "./mate-ends.ts";
import { mateMailChecks } from "./mate-mail.ts";
import { matePermissionChecks } from "./mate-permission.ts";
import { matePlanChecks } from "./mate-plan.ts";
import { mateTurnChecks } from "./mate-turns.ts";
import { paneEndChecks } from "./pane-ends.ts";
import { paneStartChecks } from "./pane-starts.ts";
import { screenChecks } from "./screens.ts";
import { worktreeChecks } from "./worktrees.ts";

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
  ...mateCareChecks,
  ...leadOtherChecks,
  ...leadPermissionChecks,
  ...leadNoticeChecks,
  ...worktreeChecks,
  ...definitionChecks,
  ...definitionPartChecks,
  ...paneStartChecks,
  ...paneEndChecks,
  ...screenChecks,
];
