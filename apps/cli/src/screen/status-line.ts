import { counted, type Printed, type Style } from "../paint.ts";
import { fitting } from "./fitting.ts";
import type { State } from "./state.ts";

const modes: Readonly<Record<string, readonly [words: string, style: Style]>> = {
  default: ["asks before changes", "dim"],
  manual: ["asks before changes", "dim"],
  acceptEdits: ["edits are accepted", "purple"],
  plan: ["plan mode", "cyan"],
  delegate: ["delegate mode", "orange"],
  bypassPermissions: ["asks about nothing", "red"],
  dontAsk: ["denies what no rule allows", "dim"],
};

/** A mode in words. */
export const modeWords = (mode: string): string => modes[mode]?.[0] ?? mode;

/**
 * The last line: the mode, who works besides, the cost, the cache and the model, as far as the
 * width allows.
 */
export function statusLine({ status, mates, columns }: State): Printed {
  const { mode, model, cost, tokens, work } = status;
  const [words, style] = modes[mode] ?? [mode, "dim"];
  const background = work.filter(({ isBackground }) => isBackground).length;
  const parts = [
    mates.length > 0 && `${counted(mates.length, "teammate")} (shift+↓)`,
    background > 0 && `${background} in the background`,
    cost !== undefined && cost > 0 && `$${cost < 0.1 ? cost.toFixed(4) : cost.toFixed(2)}`,
    tokens.sent > 0 && `${Math.round((100 * tokens.cached) / tokens.sent)} % cached`,
    model.replace(/^claude-/, ""),
    "shift+tab changes the mode",
  ];
  const told = fitting([words, ...parts], columns - 4).slice(words.length);
  return { hang: 2, spans: ["  ", { text: words, style }, { text: told, style: "dim" }] };
}
