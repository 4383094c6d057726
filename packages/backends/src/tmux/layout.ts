import type { Command } from "./client.ts";

/** A window with teammates, as tmux says it is once a pane was added. */
export interface Window {
  readonly id: string;
  readonly height: number;
  readonly panes: number;
}

/** The rows of a teammate in a column, its title among them; where it has fewer, all is tiled. */
const minRows = 5;

/**
 * The lead on the left at 30 %, teammates in a column beside it, while that has room for them;
 * beyond, and where no lead is in the window, all are tiled.
 */
export function arrangement({ id, height, panes }: Window, lead: string | undefined): readonly Command[] {
  if (lead === undefined || height < (panes - 1) * minRows) return [["select-layout", "-t", id, "tiled"]];
  // The first teammate was split off at 70 %.
  if (panes === 2) return [];
  return [
    ["select-layout", "-t", id, "main-vertical"],
    ["resize-pane", "-t", lead, "-x", "30%"],
  ];
}

/** The words behind `split-window` that say where: beside the lead, or below the last teammate. */
export const splitOf = (lead: string | undefined, last: string | undefined): readonly string[] =>
  last === undefined && lead !== undefined ? ["-t", lead, "-h", "-l", "70%"] : ["-t", last ?? "", "-v"];
