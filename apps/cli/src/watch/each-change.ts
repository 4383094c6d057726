import { isTroupeError } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import type { Call } from "../command.ts";
import { openStore, type StorePlace } from "../open.ts";

type Change = Awaited<ReturnType<ReturnType<Team["watch"]>["next"]>>["value"] & object;

/** Looks once, and after each change that matters, until the signal fires or the team is gone. */
export async function eachChange(
  call: StorePlace & Pick<Call, "signal">,
  team: Team,
  matters: (change: Change) => boolean,
  look: () => Promise<void>,
): Promise<undefined> {
  const isGone = async () => (await (await openStore(call)).openTeam(team.name)) === undefined;
  const changes = team.watch(call.signal);
  try {
    await look();
    for await (const change of changes) {
      if (change.kind === "config" && (await isGone())) return undefined;
      if (matters(change)) await look();
    }
  } catch (error) {
    if (!isTroupeError(error) || !(await isGone())) throw error;
  } finally {
    await changes.return?.();
  }
  return undefined;
}
