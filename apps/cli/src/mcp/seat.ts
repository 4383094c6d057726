import { type LentHand, lendHand, type Room, type SeatDeps, type TakenSeat, takeSeat } from "@troupe/mcp";
import { leadOf, type Member, messageOf, nameKey, type TeamConfig, TroupeError } from "@troupe/protocol";
import { memberOf } from "@troupe/protocol/rules";
import { seatOf } from "@troupe/runtime";
import type { Team } from "@troupe/store";
import { openLedgerFile } from "@troupe/team";
import { clientFile } from "../client-file.ts";
import type { Call } from "../command.ts";

type Place = Pick<Call, "root" | "cwd" | "now" | "note">;
export type Told = Pick<Room, "store" | "team">;

/** The type of members that joined only to be connected. */
const clientType = "mcp";

/**
 * The seat of a member. One that is not in the team joins it, and leaves it with the client; its
 * mail stays for the next time. Throws `lock_unavailable` while another process is the same member.
 */
export async function openClientSeat(place: Place, { store, team }: Told, name: string): Promise<TakenSeat> {
  const { cwd, now, note } = place;
  const { config, lead } = await ledConfig(team);
  if (nameKey(name) === nameKey(lead))
    throw new TroupeError("arguments_invalid", `${name} leads ${team.name}: take another name, or --lead`, { name });
  return withLedger(place, { team, config, name }, async (ledger) => {
    const joinedAt = now().getTime();
    const entry: Member =
      memberOf(config, name) ??
      (await team.join({ name, agentType: clientType, model: "", prompt: "", joinedAt, cwd }));
    const isOwn = entry.agentType === clientType;
    const self = await team.as(entry.name);
    const seat = await takeSeat({ store, team, self, lead, ledger, isSpawned: !isOwn, now, show: note });
    const leave = () =>
      team.leave(entry.name).catch((error: unknown) => note(`${entry.name} is still in the team: ${messageOf(error)}`));
    return {
      ...seat,
      async close() {
        await seat.close();
        if (isOwn) await leave();
      },
    };
  });
}

/** The config of a team, and the name of its lead. */
export async function ledConfig(team: Team): Promise<{ readonly config: TeamConfig; readonly lead: string }> {
  const { value: config } = await team.config();
  const lead = config && leadOf(config)?.name;
  if (config && lead !== undefined) return { config, lead };
  throw new TroupeError("document_invalid", `the config of ${team.name} names no lead: troupe doctor says more`);
}

/** A client that was killed is back soon, and people wait for it. */
const returning = { staleMs: 3_000, deadlineMs: 4_000 };

/** The ledger of a client is let go of with its seat, or where that could not be taken. */
export async function withLedger<Taken extends TakenSeat>(
  { root, note }: Pick<Place, "root" | "note">,
  { team, config, name }: { readonly team: Team; readonly config: TeamConfig; readonly name: string },
  take: (ledger: SeatDeps["ledger"]) => Promise<Taken>,
): Promise<Taken> {
  const path = `${clientFile(root, team.name, config.createdAt ?? 0, name)}.jsonl`;
  const ledger = await openLedgerFile({ path, limits: returning });
  try {
    for (const problem of ledger.problems) note(problem);
    const taken = await take(ledger);
    return { ...taken, close: () => taken.close().finally(ledger.close) };
  } catch (error) {
    ledger.close();
    throw error;
  }
}

/** A hand of a member of the team. Throws `member_unknown`. */
export async function openHand(
  { now, note }: Pick<Place, "now" | "note">,
  { store, team }: Told,
  name: string,
): Promise<LentHand> {
  const { self, lead } = await seatOf(team, name);
  return lendHand({ store, team, self, lead, now, show: note });
}
