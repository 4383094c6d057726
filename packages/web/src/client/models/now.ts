import type { MemberView, RequestView, TaskCard, TeamSummary } from "../../views.ts";

/** Something that waits for a person; the most urgent kind comes first, and of one the oldest. */
export type Need =
  | { readonly kind: "request"; readonly team: string; readonly at: string; readonly request: RequestView }
  | { readonly kind: "member"; readonly team: string; readonly at: string; readonly member: MemberView }
  | { readonly kind: "stuck"; readonly team: string; readonly at: string; readonly task: TaskCard };

const ranks = { request: 0, member: 1, stuck: 2 } as const;

/** What needs a person in these teams. Of a team where nobody is at work nothing does. */
export function needsIn(teams: readonly TeamSummary[]): readonly Need[] {
  const needs = teams
    .filter(({ isLive }) => isLive)
    .flatMap(({ name: team, requests, members, stuck }): Need[] => [
      ...requests.map((request) => ({ kind: "request" as const, team, at: request.at, request })),
      ...members
        .filter(({ state }) => state === "failed" || state === "lost")
        .map((member) => ({ kind: "member" as const, team, at: member.since ?? "", member })),
      ...stuck.map((task) => ({ kind: "stuck" as const, team, at: new Date(task.changedAt).toISOString(), task })),
    ]);
  return needs.sort((a, b) => ranks[a.kind] - ranks[b.kind] || (a.at < b.at ? -1 : 1));
}

const order: readonly MemberView["state"][] = [
  "needs_input",
  "failed",
  "lost",
  "working",
  "waiting",
  "idle",
  "unknown",
];

/** Members by what they do, those that a person has to look at first. */
export const byState = (members: readonly MemberView[]): readonly MemberView[] =>
  [...members].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || (a.name < b.name ? -1 : 1));
