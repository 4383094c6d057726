import { workOf } from "@troupe/backends/host";
import type { AskedSpawn, Host } from "@troupe/store-postgres";
import type { Answer, Call } from "../command.ts";
import type { Printed } from "../paint.ts";
import { databaseOf } from "../store/database.ts";

export async function run(call: Call): Promise<Answer> {
  const { url, name } = databaseOf(call);
  const { lookAtHosts } = await import("@troupe/store-postgres");
  const { hosts, spawns } = await lookAtHosts({ url });
  const all = hosts.map((host) => ({ ...host, spawns: spawns.filter((one) => one.host === host.role) }));
  const waiting = spawns.filter((one) => one.host === null);
  return {
    document: {
      store: name,
      hosts: all.map(({ role, labels, slots, leaseMs, heardMs, spawns: own }) => ({
        host: role,
        isHeard: isHeard({ leaseMs }),
        labels,
        slots,
        used: own.length,
        leaseMs: rounded(leaseMs),
        heardMs: rounded(heardMs),
        teammates: own.map(teammate),
      })),
      waiting: waiting.map((one) => ({ ...teammate(one), wanted: one.wanted })),
    },
    text: [...all.flatMap(hostText), ...waiting.map(waitingText)],
    ...(hosts.length === 0 && { remark: "there is no host: troupe host add ROLE admits one" }),
  };
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));
const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
export const isHeard = ({ leaseMs }: Pick<Host, "leaseMs">): boolean => leaseMs !== null && leaseMs > 0;

const teammate = (one: AskedSpawn) => ({
  team: one.team,
  name: one.member,
  state: one.state,
  epoch: one.epoch,
  starts: one.starts,
  branch: workOf(one)?.branch ?? null,
});

function hostText(host: Host & { readonly spawns: readonly AskedSpawn[] }): Printed[] {
  const { role, slots, labels, leaseMs, heardMs, spawns } = host;
  const lease =
    leaseMs === null || heardMs === null
      ? "was never heard of"
      : leaseMs > 0
        ? `heard of ${seconds(heardMs)} ago, its lease lasts ${seconds(leaseMs)}`
        : `not heard of since ${seconds(heardMs)}, its lease has ended`;
  const line = `${spawns.length} of ${slots} slots, ${lease}; ${labels.join(", ") || "no labels"}`;
  return [
    isHeard(host) ? `${role}: ${line}` : [{ text: role, style: "red" }, `: ${line}`],
    ...spawns.map((one) => {
      const branch = workOf(one)?.branch;
      return `  ${one.member} of ${one.team}, epoch ${one.epoch}: ${one.state}${branch ? `, ${branch}` : ""}`;
    }),
  ];
}

const waitingText = ({ member, team, wanted }: AskedSpawn): string =>
  `${member} of ${team} waits for a host${wanted.length > 0 ? ` with ${wanted.join(", ")}` : ""}`;
