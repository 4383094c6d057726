import { TroupeError } from "../errors.ts";
import { nameKey } from "../names.ts";
import { type Color, colorOf, colors, leadOf, type Member, type TeamConfig } from "../team.ts";

/** The member of that name in any spelling. */
export const memberOf = ({ members }: Pick<TeamConfig, "members">, name: string): Member | undefined =>
  members.find((member) => nameKey(member.name) === nameKey(name));

/** All but the lead. */
const teammatesOf = (team: TeamConfig): Member[] => {
  const lead = leadOf(team);
  return team.members.filter((member) => member !== lead);
};

/**
 * Returns the colour after that of the last member that joined; members that left are not recorded.
 */
export function nextColor(team: TeamConfig): Color {
  const last = teammatesOf(team).at(-1);
  return colorOf(last ? colors.indexOf(last.color as Color) + 1 : 0);
}

/** Throws `lead_fixed` for the lead. */
export function assertTeammate(team: TeamConfig, name: string): void {
  if (leadOf(team)?.name !== name) return;
  const message = `${name} leads ${team.name} to its end: delete the team instead`;
  throw new TroupeError("lead_fixed", message, { team: team.name, name });
}

/** Throws `team_active` while there is anybody but the lead. */
export function assertIdle(name: string, team: TeamConfig): void {
  const members = teammatesOf(team).map((member) => member.name);
  if (members.length === 0) return;
  const message = `${name} still has ${members.join(", ")}: shut them down first`;
  throw new TroupeError("team_active", message, { name, members });
}

/** Whether it is neither the name nor the id of a member. */
export const isStranger = (name: string, { members }: TeamConfig): boolean =>
  !members.some((member) => [member.name, member.agentId].some((known) => nameKey(known) === nameKey(name)));

/** Returns the member that acts in a team; throws `member_unknown`. */
export function senderOf(team: TeamConfig, name: string): Member {
  const sender = memberOf(team, name);
  if (sender) return sender;
  throw new TroupeError("member_unknown", `${name} is no member of ${team.name}: let it join first`, { name });
}

/** Returns the recipient of a message; throws `recipient_unknown`. */
export function recipientOf(team: TeamConfig, to: string): Member {
  const recipient = memberOf(team, to);
  if (recipient) return recipient;
  const members = team.members.map(({ name }) => name);
  const message = `there is no ${to} in ${team.name}: send to one of ${members.join(", ")}`;
  throw new TroupeError("recipient_unknown", message, { to, members });
}
