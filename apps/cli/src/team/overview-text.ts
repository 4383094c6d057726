import { type Block, isStyle, type Span } from "../paint.ts";
import type { LocatedProblem, Overview, RootOverview } from "./overview.ts";

/** All teams, and what stands among them and is none. */
export function rootText({ teams, problems }: RootOverview): Block[] {
  const parts = teams.map(overviewText);
  if (problems.length > 0) parts.push(["  NO TEAMS", ...problemText(problems)]);
  return parts.flatMap((part, index) => (index === 0 ? part : ["", ...part]));
}

/** One team: who is in it, what is to be done, what is wrong. */
export function overviewText({ team, form, description, members, mail, tasks, problems }: Overview): Block[] {
  const unread = new Map(mail.map(({ agent, unread: count }) => [agent, count]));
  const strangers = mail.filter(({ agent }) => !members.some(({ member }) => member.name === agent));
  const memberRows = members.map(({ member, isLead, backend }) => [
    memberSpan(isLead ? `${member.name} (lead)` : member.name, member.color),
    member.agentType ?? "",
    [backend, member.tmuxPaneId?.startsWith("%") ? member.tmuxPaneId : ""].filter(Boolean).join(" "),
    member.isActive === undefined ? "" : member.isActive ? "working" : "idle",
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

/** Tasks, each with what it waits for. */
export const taskText = (tasks: Overview["tasks"]): Block[] =>
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

/** What is wrong, and what mends it. */
export const problemText = (problems: readonly LocatedProblem[]): Block[] =>
  problems.flatMap(({ file, message, fix }) => [`  ${file}: ${message}`, `    to mend it: ${fix}`]);

export const memberSpan = (text: string, color: string | undefined): Span =>
  isStyle(color) ? { text, style: color } : text;

export const statusSpan = (status: string): Span => {
  const style = ({ in_progress: "yellow", completed: "green" } as const)[status];
  return style ? { text: status, style } : status;
};

const unreadSpan = (count: number): Span => (count > 0 ? bold(`${count} unread`) : `${count} unread`);

/** In which form of the protocol a team is. */
export function formLabel(form: Overview["form"]): string {
  if (form === undefined) return "revision unknown";
  return form === "between" ? "between the revisions, read only" : `revision ${form}`;
}

const bold = (text: string): Span => ({ text, style: "bold" });
