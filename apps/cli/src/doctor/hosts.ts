import { isRunningHere } from "@troupe/store/files";
import type { AskedSpawn, Host } from "@troupe/store-postgres";
import { ageText } from "../age.ts";
import { isHeard } from "../host/list.ts";
import { openStore, type StorePlace } from "../open.ts";
import { databaseOf } from "../store/database.ts";
import { chosenStore } from "../store-choice.ts";
import { leadKnown } from "../team/liveness.ts";
import type { Case } from "./orphans.ts";

/** What is wrong with hosts of the database, and with what is asked of them. */
export async function findHosts(call: StorePlace): Promise<readonly Case[]> {
  if (chosenStore(call).url === undefined) return [];
  const { lookAtHosts } = await import("@troupe/store-postgres");
  const { hosts, spawns } = await lookAtHosts({ url: databaseOf(call).url });
  return [
    ...hosts.flatMap((host) => ofHost(host, spawns)),
    ...spawns.flatMap((asked) => ofWaiting(asked, hosts)),
    ...(await Promise.all(spawns.map((asked) => ofLeaderless(call, asked)))).flat(),
  ];
}

const plain = { isMendable: false, isMended: false } as const;

/** Another host takes what it ran, where one fits; a host that has nothing does no harm. */
function ofHost(host: Host, spawns: readonly AskedSpawn[]): readonly Case[] {
  if (isHeard(host)) return [];
  const { role, heardMs } = host;
  const left = spawns.filter((one) => one.host === role);
  const names = left.map(({ member, team }) => `${member} of ${team}`).join(", ");
  const since = heardMs === null ? "it was never heard of" : `it is not heard of since ${ageText(heardMs)}`;
  const message = `${since}${left.length === 0 ? "" : `, its lease has ended, and no other has taken what it ran: ${names}`}`;
  const fix = "start troupe host on its machine, or take it out";
  return [{ ...plain, kind: "host_silent", path: `host ${role}`, host: role, message, fix, isNote: left.length === 0 }];
}

/** Its lead was a process of this machine, and is none any more: nobody hears what it reports. */
async function ofLeaderless(call: StorePlace, { host, team, member }: AskedSpawn): Promise<readonly Case[]> {
  if (host === null) return [];
  const config = (await (await (await openStore(call)).openTeam(team))?.config())?.value;
  const lead = config && leadKnown(call.root, config);
  if (!lead || isRunningHere(lead) !== false) return [];
  const { leadSessionId: session } = config;
  const goesOn = session === undefined ? "" : `; troupe run --resume ${session} goes on with it`;
  const message = `${member} of ${team} runs on ${host}, and its lead, process ${lead.pid}, has ended${goesOn}`;
  const fix = "end it and take it out of the team";
  const about = { path: `${team}, ${member}`, team, member, message, fix };
  return [{ ...plain, ...about, kind: "teammate_leaderless", isNote: false }];
}

/** Its role is a label of a host as well. */
const fits = ({ role, labels }: Host, label: string): boolean => label === role || labels.includes(label);

/** What a host with a free slot can take is about to be taken. */
function ofWaiting({ host, member, team, wanted }: AskedSpawn, hosts: readonly Host[]): readonly Case[] {
  if (host !== null) return [];
  const heard = hosts.filter(isHeard);
  if (heard.some((one) => wanted.every((label) => fits(one, label)))) return [];
  const lacking = wanted.filter((label) => !heard.some((one) => fits(one, label)));
  const what = lacking.length > 0 ? lacking.join(", ") : `all of ${wanted.join(", ")}`;
  const why = heard.length === 0 ? "no host is heard of" : `no host that is heard of has ${what}`;
  const message = `${member} of ${team} waits for a host, and ${why}`;
  const fix = "start troupe host where that is, with --repo or a label of troupe host add, or end the request";
  return [{ ...plain, kind: "request_waiting", path: `${team}, ${member}`, team, member, message, fix, isNote: false }];
}
