import type { LocatedProblem, Overview, RootOverview, TaskView } from "@troupe/store";
import { ageText } from "../age.ts";
import { placeText, type Requested } from "../host/requested.ts";
import { counted, isStyle, type Printed, type Span } from "../paint.ts";
import type { Activities, Activity } from "./activity.ts";
import type { AllTeams } from "./all-teams.ts";

/** Renders all teams, the task lists without a team, and the problems of the teams directory. */
export function rootText(
  { teams, lists, problems }: RootOverview,
  activities: readonly Activities[] = [],
  requested: readonly Requested[] = [],
): Printed[] {
  const shown = teams.map((one, index) => overviewText(one, activities[index], requested[index]));
  const parts = [...shown, ...lists.map(listText)];
  if (problems.length > 0) parts.push(["  NO TEAMS", ...problemText(problems)]);
  return parts.flatMap((part, index) => (index === 0 ? part : ["", ...part]));
}

/** Renders one team: its members, tasks, and problems. */
export function overviewText(
  { team, form, description, members, mail, tasks, problems }: Overview,
  activities: Activities = new Map(),
  requested: Requested = new Map(),
): Printed[] {
  const placeOf = (name: string) => {
    const asked = requested.get(name);
    return asked ? placeText(asked) : "";
  };
  const unread = new Map(mail.map(({ agent, unread: count }) => [agent, count]));
  const strangers = mail.filter(({ agent }) => !members.some(({ member }) => member.name === agent));
  const memberRows = members.map(({ member, isLead, backend }) => [
    memberSpan(isLead ? `${member.name} (lead)` : member.name, member.color),
    [member.agentType ?? "", activities.get(member.name)?.model ?? ""].filter(Boolean).join(", "),
    [backend, member.tmuxPaneId?.startsWith("%") ? member.tmuxPaneId : "", placeOf(member.name)]
      .filter(Boolean)
      .join(" "),
    stateSpan(member, activities.get(member.name)),
    unreadSpan(unread.get(member.name) ?? 0),
  ]);
  const strangerRows = strangers.map(({ agent, unread: count }) => [agent, "not a member", "", "", unreadSpan(count)]);
  return [
    [bold(team), `  (${formLabel(form)})`],
    ...(description ? [`  ${description}`] : []),
    "",
    bold("  MEMBERS"),
    ...(members.length === 0 ? ["  none that can be read"] : []),
    { rows: [...memberRows, ...strangerRows] },
    "",
    bold("  TASKS"),
    ...taskText(tasks),
    ...(problems.length > 0 ? ["", bold("  PROBLEMS"), ...problemText(problems)] : []),
  ];
}

/** Renders the teams in which nobody is at work as one line, with the command that shows them. */
export function foldedText(folded: AllTeams["teams"], now: Date, command: string): Printed[] {
  if (folded.length === 0) return [];
  const names = folded.map(({ overview, changedAt }) => `${overview.team} (${ageText(now.getTime() - changedAt)})`);
  const text = `${counted(folded.length, "team")} more, where nobody is at work: ${names.join(", ")}; ${command} shows all`;
  return ["", { text, style: "dim" }];
}

const listText = ({ team, tasks, problems }: TaskView): Printed[] => [
  [bold(team), "  (tasks without a team)"],
  "",
  ...taskText(tasks),
  ...(problems.length > 0 ? ["", bold("  PROBLEMS"), ...problemText(problems)] : []),
];

/** Renders tasks, each with the tasks it waits for. */
export const taskText = (tasks: Overview["tasks"]): Printed[] =>
  tasks.length === 0
    ? ["  none"]
    : [
        {
          rows: tasks.map(({ task, openBlockers }) => [
            `#${task.id}`,
            statusSpan(task.status),
            task.owner ?? "",
            task.subject ?? "",
            openBlockers.length > 0 ? `blocked by ${openBlockers.map((id) => `#${id}`).join(", ")}` : "",
          ]),
        },
      ];

/** Renders problems, each with its fix. */
export const problemText = (problems: readonly LocatedProblem[]): Printed[] =>
  problems.flatMap(({ file, message, fix }) => [`  ${file}: ${message}`, `    fix: ${fix}`]);

export const memberSpan = (text: string, color: string | undefined): Span =>
  isStyle(color) ? { text, style: color } : text;

export const statusSpan = (status: string): Span => {
  const style = ({ in_progress: "yellow", completed: "green" } as const)[status];
  return style ? { text: status, style } : status;
};

/** What a member does, and for how long: `idle 3 m`; where nobody runs any more, that. */
export function stateSpan({ isActive }: Overview["members"][number]["member"], activity: Activity | undefined): Span {
  const { state, age, hasEnded } = activity ?? {};
  if (hasEnded) return { text: "ended", style: "dim" };
  if (state === undefined) return isActive === undefined ? "" : isActive ? "working" : "idle";
  return state === "needs_input" ? { text: `needs input ${age}`, style: "yellow" } : `${state} ${age}`;
}

const unreadSpan = (count: number): Span => (count > 0 ? bold(`${count} unread`) : `${count} unread`);

/** Names the revision of a team's files. */
export function formLabel(form: Overview["form"]): string {
  if (form === undefined) return "revision unknown";
  return form === "between" ? "between the revisions, read only" : `revision ${form}`;
}

const bold = (text: string): Span => ({ text, style: "bold" });
