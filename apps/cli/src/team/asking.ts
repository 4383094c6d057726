import type { Overview } from "@troupe/store";
import { doingsIn } from "@troupe/team";
import type { Call } from "../command.ts";
import { openStore } from "../open.ts";

/**
 * The members of a team that wait for an answer about a permission or a plan, as its history says;
 * nobody where that cannot be read.
 */
export async function askingIn(
  call: Pick<Call, "root" | "now">,
  { team: name }: Overview,
): Promise<ReadonlySet<string>> {
  try {
    const team = await openStore(call).openTeam(name);
    const doings = team ? await doingsIn(team) : new Map();
    return new Set([...doings].flatMap(([member, { open }]) => (open.size > 0 ? [member] : [])));
  } catch {
    return new Set();
  }
}
