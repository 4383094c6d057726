import type { WorktreeState } from "@troupe/backends/worktree";
import type { Printed } from "../paint.ts";

/** One line for each worktree. */
export const stateText = (worktrees: readonly WorktreeState[]): readonly Printed[] => [
  {
    rows: worktrees.map(({ name, state, changes, isRemoved }) => [
      { text: name, style: "bold" },
      isRemoved ? "removed" : state,
      changes.join(", "),
    ]),
  },
];
