import type { TaskCard } from "../../views.ts";
import { isFound } from "./find.ts";

/** A column of the board. */
export interface Column {
  readonly title: string;
  readonly cards: readonly TaskCard[];
}

const columns: readonly { readonly title: string; readonly has: (card: TaskCard) => boolean }[] = [
  { title: "Ready", has: ({ status, openBlockers }) => status === "pending" && openBlockers.length === 0 },
  { title: "Blocked", has: ({ status, openBlockers }) => status === "pending" && openBlockers.length > 0 },
  { title: "In progress", has: ({ status }) => status === "in_progress" },
  { title: "Completed", has: ({ status }) => status === "completed" },
];

/** The tasks that are searched for, in columns; what was completed last comes first. */
export function columnsOf(tasks: readonly TaskCard[], q: string): readonly Column[] {
  const found = tasks.filter(({ id, subject, owner }) => isFound(q, `#${id}`, subject, owner));
  return columns.map(({ title, has }) => {
    const cards = found.filter(has);
    return { title, cards: title === "Completed" ? cards.sort((a, b) => b.changedAt - a.changedAt) : cards };
  });
}
