import { counted, type Printed, type Span, type Style } from "../paint.ts";
import type { State } from "./state.ts";

const modes: Readonly<Record<string, readonly [words: string, style: Style]>> = {
  default: ["asks before it changes anything", "dim"],
  acceptEdits: ["edits are accepted", "purple"],
  plan: ["plan mode", "cyan"],
  delegate: ["delegate mode", "orange"],
  bypassPermissions: ["asks about nothing", "red"],
  dontAsk: ["denies what no rule allows", "dim"],
};

/** The last line: the mode, the model, what it has cost, and who works besides. */
export function statusLine({ status, mates, columns }: State): Printed {
  const { mode, model, cost, tokens, agents } = status;
  const [words, style] = modes[mode] ?? [mode, "dim"];
  const background = agents.filter(({ isBackground }) => isBackground).length;
  const parts: readonly (string | false)[] = [
    model.replace(/^claude-/, ""),
    cost !== undefined && cost > 0 && `$${cost < 0.1 ? cost.toFixed(4) : cost.toFixed(2)}`,
    tokens.sent > 0 && `${Math.round((100 * tokens.cached) / tokens.sent)} % cached`,
    background > 0 && counted(background, "agent"),
    mates.length > 0 && `${counted(mates.length, "teammate")} (shift+↓)`,
  ];
  const told = parts.filter((part) => typeof part === "string" && part !== "").join(" · ");
  const key = columns >= 100 ? " (shift+tab)" : "";
  const left: readonly Span[] = ["  ", { text: words, style }, { text: key, style: "dim" }];
  return { hang: 2, spans: told === "" ? left : [...left, { text: ` · ${told}`, style: "dim" }] };
}
