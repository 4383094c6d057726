import type { Printed } from "../paint.ts";
import type { SeenTask } from "./state.ts";

const signs: Readonly<Record<string, string>> = { pending: "☐", in_progress: "◐", completed: "☑" };
const most = 10;

/** The tasks: what is worked on first, what is done last. A screen reader is told their status. */
export function taskLines(tasks: readonly SeenTask[], isSpoken = false): readonly Printed[] {
  if (tasks.length === 0) return [{ text: "  There are no tasks.", style: "dim" }];
  const rank = (status: string) => ["in_progress", "pending", "completed"].indexOf(status);
  const sorted = tasks.toSorted((a, b) => rank(a.status) - rank(b.status));
  const done = tasks.filter(({ status }) => status === "completed").length;
  const lines = sorted.slice(0, most).map(({ id, subject, status, owner, blockedBy }): Printed => {
    const isDone = status === "completed";
    const sign = {
      text: `  ${isSpoken ? status.replace("_", " ") : (signs[status] ?? "?")} `,
      style: isDone ? "green" : status === "in_progress" ? "yellow" : "dim",
    } as const;
    const text = isDone ? { text: `#${id} ${subject}`, style: "dim" as const } : `#${id} ${subject}`;
    const blocked = blockedBy.map((one) => `#${one}`).join(", ");
    const more = [owner === undefined ? "" : owner, blocked === "" ? "" : `after ${blocked}`].filter(
      (one) => one !== "",
    );
    return {
      hang: 6,
      spans: [sign, text, ...(more.length > 0 ? [{ text: `  ${more.join(" · ")}`, style: "dim" as const }] : [])],
    };
  });
  const rest = sorted.length - lines.length;
  return [
    [
      { text: "  Tasks", style: "bold" },
      { text: `  ${done} of ${tasks.length} done`, style: "dim" },
    ],
    ...lines,
    ...(rest > 0 ? [{ text: `    … ${rest} more`, style: "dim" } as const] : []),
  ];
}
