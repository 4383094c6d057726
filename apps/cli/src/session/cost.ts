import { resolve } from "node:path";
import { leadOf } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { openTeam } from "../open.ts";
import { counted, type Span } from "../paint.ts";
import type { Bill } from "./bill.ts";
import { together, usageIn } from "./usage.ts";

/** What the members of a team have used, each and together, as their transcripts say. */
export async function run(call: Call<{ team: string }>): Promise<Answer> {
  const team = await openTeam(call, call.args.team);
  const { value } = await team.config();
  const { createdAt = 0, leadSessionId } = value ?? {};
  const lead = value && leadOf(value)?.name;
  const found = usageIn(resolve(call.cwd, call.root), { team: team.name, createdAt, leadSessionId, lead });
  const names = [...found.keys()].sort((a, b) => Number(b === lead) - Number(a === lead) || (a < b ? -1 : 1));
  const members = names.map((name) => {
    const sessions = found.get(name) ?? [];
    const agents = sessions.reduce((sum, one) => sum + one.agents, 0);
    return { name, agents, bill: together(sessions.map(({ bill }) => bill)) };
  });
  const forks = names.flatMap((member) =>
    (found.get(member) ?? []).flatMap((one) => one.forks.map((fork) => ({ member, ...fork }))),
  );
  const total = together(members.map(({ bill }) => bill));
  return {
    document: {
      team: team.name,
      members: members.map(({ name, agents, bill }) => ({ name, agents, ...billDocument(bill) })),
      forks: forks.map(({ bill, ...fork }) => ({ ...fork, ...billDocument(bill) })),
      total: billDocument(total),
    },
    text: [
      {
        rows: [
          ...members.map(({ name, agents, bill }) => [
            { text: name, style: "bold" } as const,
            ...billCells(bill),
            agents === 0 ? "" : `with ${counted(agents, "agent")} below it`,
          ]),
          ...(members.length > 1 ? [["all", ...billCells(total), ""]] : []),
        ],
      },
      ...(forks.length === 0 ? [] : ["", { text: "  FORKS", style: "bold" } as const]),
      {
        rows: forks.map(({ member, description, cacheRead, cacheReadLimit, bill }) => [
          description || `a fork of ${member}`,
          money(bill),
          `read ${tokens(cacheRead)} of ${tokens(cacheReadLimit)} tokens that it could from the cache (${share(cacheRead, cacheReadLimit)})`,
        ]),
      },
    ],
    ...(members.length === 0 && { remark: `no transcript of a member of ${team.name} is below ${call.root}` }),
  };
}

const billDocument = ({ requests, usage, cost }: Bill) => ({ requests, usage, cost: cost ?? null });

function billCells(bill: Bill): Span[] {
  const { requests, usage } = bill;
  const sent = usage.input + usage.cacheRead + usage.cacheWrite;
  return [
    money(bill),
    counted(requests, "request"),
    `${tokens(sent)} tokens sent, ${share(usage.cacheRead, sent)} from the cache`,
    `${tokens(usage.output)} answered`,
  ];
}

const money = ({ cost }: Bill): string => (cost === undefined ? "price not known" : `$${cost.toFixed(4)}`);
const share = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.round((100 * part) / whole)} %`;
const tokens = (count: number): string => (count < 10_000 ? String(count) : `${Math.round(count / 1_000)}k`);
