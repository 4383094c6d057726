import { leadOf } from "@troupe/protocol";
import type { BillView, CostView } from "@troupe/web";
import type { Bill } from "../session/bill.ts";
import { together, usageIn } from "../session/usage.ts";
import type { LookedAt } from "./look.ts";

/** What the members have used, each with the agents below it. */
export function costView({ view }: LookedAt, root: string): CostView {
  const { createdAt = 0, leadSessionId } = view.config ?? {};
  const lead = view.config && leadOf(view.config)?.name;
  const found = usageIn(root, { team: view.team, createdAt, leadSessionId, lead });
  const members = [...found].map(([name, sessions]) => ({
    name,
    agents: sessions.reduce((sum, one) => sum + one.agents, 0),
    bill: together(sessions.map(({ bill }) => bill)),
  }));
  const sessions = [...found].flatMap(([member, all]) => all.map((one) => ({ member, ...one })));
  return {
    members: members.map((one) => ({ ...one, bill: billView(one.bill) })),
    forks: sessions.flatMap(({ member, forks }) =>
      forks.map((fork) => ({ member, ...fork, bill: billView(fork.bill) })),
    ),
    total: billView(together(members.map(({ bill }) => bill))),
    unpriced: [...new Set(sessions.flatMap(({ unpriced }) => unpriced))],
  };
}

const billView = ({ requests, usage, cost }: Bill): BillView => ({ requests, ...usage, cost: cost ?? null });
