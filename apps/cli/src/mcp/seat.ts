import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Room, type TakenSeat, takeSeat } from "@troupe/mcp";
import { leadOf, type Member, nameKey, TroupeError } from "@troupe/protocol";
import { openLedgerFile } from "@troupe/team";
import type { Call } from "../command.ts";

/** The type of members that joined only to be connected. */
const clientType = "mcp";

/**
 * The seat of a member. One that is not in the team joins it, and leaves it with the client; its
 * mail stays for the next time. Throws `lock_unavailable` while another process is the same member.
 */
export async function openClientSeat(
  { root, cwd, now, note }: Pick<Call, "root" | "cwd" | "now" | "note">,
  { store, team }: Pick<Room, "store" | "team">,
  name: string,
): Promise<TakenSeat> {
  const { value } = await team.config();
  const lead = value && leadOf(value)?.name;
  if (!value || lead === undefined)
    throw new TroupeError("document_invalid", `the config of ${team.name} names no lead: troupe doctor says more`);
  if (nameKey(name) === nameKey(lead))
    throw new TroupeError("arguments_invalid", `${name} leads ${team.name}: take another name`, { name });
  const ledger = await openLedgerFile({ path: ledgerPath(root, team.name, value.createdAt ?? 0, name) });
  try {
    for (const problem of ledger.problems) note(problem);
    const joinedAt = now().getTime();
    const entry: Member =
      value.members.find((one) => nameKey(one.name) === nameKey(name)) ??
      (await team.join({ name, agentType: clientType, model: "", prompt: "", joinedAt, cwd }));
    const isOwn = entry.agentType === clientType;
    const self = await team.as(entry.name);
    const seat = await takeSeat({ store, team, self, lead, ledger, isSpawned: !isOwn, now, show: note });
    return {
      ...seat,
      async close() {
        await seat.close().finally(ledger.close);
        if (isOwn) await team.leave(entry.name).catch(() => {});
      },
    };
  } catch (error) {
    ledger.close();
    throw error;
  }
}

/**
 * In Troupe's own directory, apart for each team that ever had the name; those of earlier ones go.
 */
function ledgerPath(root: string, team: string, createdAt: number, name: string): string {
  const teams = join(root, "troupe/clients", team);
  for (const other of listed(teams)) if (other !== String(createdAt)) rmSync(join(teams, other), { recursive: true });
  return join(teams, String(createdAt), `${nameKey(name)}.jsonl`);
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
