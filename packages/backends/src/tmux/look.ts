import type { Command } from "./client.ts";

/** What tmux calls the colours of members. */
const colours: Readonly<Record<string, string>> = {
  blue: "blue",
  green: "green",
  yellow: "yellow",
  purple: "magenta",
  orange: "colour208",
  pink: "colour205",
  cyan: "cyan",
  red: "red",
};

/** A text that is itself where tmux expands formats; `%` counts where it also tells the time. */
const plain = (text: string): string => text.replace(/#/g, "##");
const timeless = (text: string): string => plain(text).replace(/%/g, "%%");

/** The option of a pane by which its border has its member's colour; other panes have none. */
const ours = "@troupe-colour";
const borders = { "pane-border-status": "top", ...styles(`#{?${ours},fg=#{${ours}},default}`) };

function styles(value: string) {
  return { "pane-border-style": value, "pane-active-border-style": value };
}

/** The title and the border of a teammate's pane. Styles of borders belong to the window. */
export function looksOf(pane: string, name: string, color: string | undefined): readonly Command[] {
  const colour = color !== undefined && Object.hasOwn(colours, color) ? (colours[color] ?? "default") : "default";
  return [
    ["set-option", "-p", "-t", pane, ours, colour],
    // Not the title, which the program in the pane can change.
    ["set-option", "-p", "-t", pane, "pane-border-format", `#[fg=${colour},bold] ${timeless(name)} #[default]`],
    ["select-pane", "-t", pane, "-T", plain(name)],
    ...Object.entries(borders).map(([option, value]) => ["set-option", "-w", "-t", pane, option, value]),
  ];
}

/** Gives a window back its borders once no teammate is in it. */
export function plainAgain(window: string): Command {
  const unset = Object.keys(borders).map((option) => `set-option -w -u -t ${window} ${option}`);
  return ["if-shell", "-F", "-t", window, `#{P:#{${ours}}}`, "", unset.join(" ; ")];
}
