import { type Hand, lendHand, type Room, type TakenSeat, takeSeat } from "@troupe/mcp";
import { leadOf, type Member, nameKey, TroupeError } from "@troupe/protocol";
import { seatOf } from "@troupe/runtime";
import { openLedgerFile } from "@troupe/team";
import { clientFile } from "../client-file.ts";
import type { Call } from "../command.ts";

type Place = Pick<Call, "root" | "cwd" | "now" | "note">;

/** The type of members that joined only to be connected. */
const clientType = "mcp";

/**
 * The seat of a member. One that is not in the team joins it, and leaves it with the client; its
 * mail stays for the next time. Throws `lock_unavailable` while another process is the same member.
 */
export async function openClientSeat(
  { root, cwd, now, note }: Place,
  { store, team }: Pick<Room, "store" | "team">,
  name: string,
): Promise<TakenSeat> {
  const { value } = await team.config();
  const lead = value && leadOf(value)?.name;
  if (!value || lead === undefined)
    throw new TroupeError("document_invalid", `the config of ${team.name} names no lead: troupe doctor says more`);
  if (nameKey(name) === nameKey(lead))
    throw new TroupeError("arguments_invalid", `${name} leads ${team.name}: take another name`, { name });
  const ledger = await openLedgerFile({ path: `${clientFile(root, team.name, value.createdAt ?? 0, name)}.jsonl` });
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

/** A hand of a member of the team. Throws `member_unknown`. */
export async function openHand(
  { now, note }: Pick<Place, "now" | "note">,
  { store, team }: Pick<Room, "store" | "team">,
  name: string,
): Promise<Hand> {
  const { self, lead } = await seatOf(team, name);
  return lendHand({ store, team, self, lead, now, show: note });
}
