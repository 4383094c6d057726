import type { Overview, RootOverview } from "./overview.ts";

/** All teams as text for a terminal or a pipe, and what stands among them and is none. */
export function renderRoot({ teams, problems }: RootOverview): string {
  const others = problems.length > 0 ? [["  NO TEAMS", ...problemLines(problems)].map(printable).join("\n")] : [];
  return [...teams.map(renderOverview), ...others].join("\n\n");
}

/** The overview as text for a terminal or a pipe. */
export function renderOverview({ team, form, description, members, mail, tasks, problems }: Overview): string {
  const unread = new Map(mail.map(({ agent, unread: count }) => [agent, count]));
  const strangers = mail.filter(({ agent }) => !members.some(({ member }) => member.name === agent));
  const lines = [`${team}  (${formLabel(form)})`];
  if (description) lines.push(`  ${description}`);

  lines.push("", "  MEMBERS");
  const memberRows = members.map(({ member, isLead, backend }) => [
    isLead ? `${member.name} (lead)` : member.name,
    member.agentType ?? "",
    [backend, member.tmuxPaneId?.startsWith("%") ? member.tmuxPaneId : ""].filter(Boolean).join(" "),
    member.isActive === undefined ? "" : member.isActive ? "working" : "idle",
    `${unread.get(member.name) ?? 0} unread`,
  ]);
  const strangerRows = strangers.map(({ agent, unread: count }) => [agent, "not a member", "", "", `${count} unread`]);
  lines.push(...table([...memberRows, ...strangerRows]));

  lines.push("", "  TASKS");
  const taskRows = tasks.map(({ task, openBlockers }) => [
    `#${task.id}`,
    task.status,
    task.owner ?? "",
    task.subject ?? "",
    openBlockers.length > 0 ? `blocked by ${openBlockers.map((id) => `#${id}`).join(", ")}` : "",
  ]);
  lines.push(...(taskRows.length > 0 ? table(taskRows) : ["  none"]));

  if (problems.length > 0) lines.push("", "  PROBLEMS");
  lines.push(...problemLines(problems));
  return lines.map(printable).join("\n");
}

const problemLines = (problems: Overview["problems"]): string[] =>
  problems.flatMap(({ file, message, fix }) => [`  ${file}: ${message}`, `    to mend it: ${fix}`]);

function formLabel(form: Overview["form"]): string {
  if (form === undefined) return "revision unknown";
  return form === "between" ? "between the revisions, read only" : `revision ${form}`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map(printable));
  const widths = shown.reduce<number[]>(
    (most, row) => row.map((cell, column) => Math.max(most[column] ?? 0, width(cell))),
    [],
  );
  return shown.map((row) =>
    `  ${row.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell))).join("  ")}`.trimEnd(),
  );
}

/** Names and subjects come from strangers: nothing of them may steer the terminal or break a line. */
const printable = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, "\uFFFD");

/** Columns on a terminal: wide characters take two. */
function width(text: string): number {
  let columns = 0;
  for (const char of text)
    columns +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u.test(
        char,
      )
        ? 2
        : 1;
  return columns;
}
