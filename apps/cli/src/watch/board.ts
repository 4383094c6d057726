import { counted, type Printed, type Span } from "../paint.ts";
import { requestLines, type Shown } from "../steer/requests.ts";
import type { Activities } from "../team/activity.ts";
import type { AllTeams } from "../team/all-teams.ts";
import { memberSpan, stateSpan, statusSpan } from "../team/overview-text.ts";

/** A live team as the board shows it. */
export interface BoardTeam {
  readonly overview: AllTeams["teams"][number]["overview"];
  readonly activities: Activities;
  readonly requests: readonly Shown[];
}

/** Something that can be chosen: what waits for the person comes first. */
export type Choice =
  | { readonly kind: "request"; readonly team: string; readonly request: Shown }
  | { readonly kind: "member"; readonly team: string; readonly member: string };

/** So many lines of a request are shown; a longer one is not answered from the board. */
export const mostLines = 12;
const mostTasks = 8;

export const choicesIn = (teams: readonly BoardTeam[]): readonly Choice[] => [
  ...teams.flatMap(({ overview: { team }, requests }) =>
    requests.map((request) => ({ kind: "request" as const, team, request })),
  ),
  ...teams.flatMap(({ overview: { team, members } }) =>
    members.map(({ member }) => ({ kind: "member" as const, team, member: member.name })),
  ),
];

/** Each part is its own block of lines; the chosen thing has a mark in front of it. */
export function boardLines(teams: readonly BoardTeam[], chosen: number, message: string, now: Date): Printed[] {
  const choices = choicesIn(teams);
  const waiting = choices.filter(({ kind }) => kind === "request").length;
  let at = -1;
  const mark = (): Span => {
    at += 1;
    return at === chosen ? { text: ">", style: "bold" } : " ";
  };
  const requests = choices.flatMap((one): Printed[] => {
    if (one.kind !== "request") return [];
    const sign = mark();
    const [head = "", ...body] = requestLines(one.request, now);
    const more = body.length > mostLines ? [`    … ${body.length - mostLines} more lines`] : [];
    const spans = Array.isArray(head) ? head : [head as Span];
    return [
      [sign, " ", { text: one.team, style: "dim" }, " ", ...spans],
      ...(sign === " " ? [] : [...body.slice(0, mostLines), ...more]),
    ];
  });
  return [
    [{ text: "troupe watch", style: "bold" }, `  ${counted(teams.length, "live team")}  `, waitsFor(waiting)],
    ...(requests.length > 0 ? ["", { text: "WAITS FOR YOU", style: "yellow" } as const, ...requests] : []),
    ...teams.flatMap((team) => ["", { text: team.overview.team, style: "bold" } as const, ...teamLines(team, mark)]),
    "",
    {
      text: "up down: choose   enter: go to its pane   a: allow or approve   d: deny or reject   q: leave",
      style: "dim",
    },
    message,
  ];
}

const waitsFor = (count: number): Span =>
  count === 0 ? "nothing waits for you" : { text: `${counted(count, "request")} for you`, style: "yellow" };

function teamLines({ overview, activities }: BoardTeam, mark: () => Span): Printed[] {
  const open = overview.tasks.filter(({ task }) => task.status !== "completed");
  const done = overview.tasks.length - open.length;
  const more = open.length > mostTasks ? `, ${open.length - mostTasks} more are open` : "";
  return [
    ...overview.members.map(({ member, isLead }): Printed => {
      const activity = activities.get(member.name);
      const name = memberSpan(isLead ? `${member.name} (lead)` : member.name, member.color);
      return [mark(), " ", name, "  ", stateSpan(member, activity), "  ", ...(activity?.line ?? [])];
    }),
    ...open
      .slice(0, mostTasks)
      .map(
        ({ task, openBlockers }): Printed => [
          `    #${task.id} `,
          statusSpan(task.status),
          `  ${task.subject ?? ""}${task.owner ? `  ${task.owner}` : ""}`,
          openBlockers.length > 0 ? `  waits for ${openBlockers.map((id) => `#${id}`).join(", ")}` : "",
        ],
      ),
    `    ${done} of ${counted(overview.tasks.length, "task")} done${more}`,
  ];
}
