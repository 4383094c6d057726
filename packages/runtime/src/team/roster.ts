import { type Form, type Member, nameKey, type Revision } from "@troupe/protocol";
import type { Team } from "@troupe/store";

/** The member of that name in any spelling, as the config has it at this moment. */
export async function memberNamed(team: Pick<Team, "config">, name: string): Promise<Member | undefined> {
  const { value } = await team.config();
  return value?.members.find((member) => nameKey(member.name) === nameKey(name));
}

/** In whose words a team is told of; what lies between the revisions makes its teams as the first does. */
export const revisionOf = (form: Form): Revision => (form === "2026-11" ? form : "2026-02");
