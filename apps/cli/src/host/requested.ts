import type { Asked } from "@troupe/backends/host";
import { messageOf } from "@troupe/protocol";
import type { Call } from "../command.ts";
import { openStore, type StorePlace } from "../open.ts";

/** What hosts are asked for, by the names of the members; nothing where teams are files. */
export type Requested = ReadonlyMap<string, Asked>;

/** Of a team that begins anew under its name, what was asked last counts. */
export async function requestedFor(place: StorePlace, team: string): Promise<Requested> {
  const { spawns } = await openStore(place);
  return new Map((await spawns?.open(team))?.map((asked) => [asked.member, asked]));
}

/**
 * Has its host end it, or gives it up where that is not heard of; false, with a word for the
 * person, where it goes on.
 */
export async function endRequested(call: Call, { id, team, member }: Asked, graceMs: number): Promise<boolean> {
  // What starts teammates is large, and most commands only look.
  const { backendOnHosts } = await import("../session/backends.ts");
  const backend = backendOnHosts(call, "host");
  try {
    await backend.stop({ backend: backend.name, team, name: member, request: id }, graceMs);
    return true;
  } catch (error) {
    call.note(messageOf(error));
    return false;
  }
}

/** Where a member runs that hosts were asked for. */
export function placeText({ host, state, isHeard }: Asked): string {
  if (host === null) return "waits for a host";
  if (isHeard !== true) return `host ${host}, which is not heard of`;
  return state === "running" ? `host ${host}` : `host ${host}, which starts it`;
}
