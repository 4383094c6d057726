import { backendOf } from "@troupe/protocol";
import type { Participant, Team } from "@troupe/store";
import { rosterEntry } from "./handshakes/handshake.ts";

interface ActivityDeps {
  readonly team: Pick<Team, "config" | "updateMember">;
  readonly self: Pick<Participant, "name">;
  readonly isLead: boolean;
}

/**
 * Says in the roster whether a member works, as a member in a pane does; a member that shares the
 * lead's process has no such field, nor has a lead.
 */
export async function tellActive({ team, self, isLead }: ActivityDeps, isActive: boolean): Promise<void> {
  const entry = isLead ? undefined : await rosterEntry(team, self.name);
  const backend = entry && backendOf(entry);
  if (backend === undefined || backend === "in-process" || entry?.isActive === isActive) return;
  await team.updateMember(self.name, { isActive });
}
