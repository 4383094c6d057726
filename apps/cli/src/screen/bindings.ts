import { type Edit, edits } from "./editor.ts";

/** What has the keyboard. */
export type Focus = "dialog" | "words" | "completion" | "view" | "prompt";

/** What a key makes the screen do. */
export type Act =
  | Edit
  | "submit"
  | "interrupt"
  | "cancel"
  | "leave"
  | "background"
  | "nextMode"
  | "nextMember"
  | "previousMember"
  | "tasks"
  | "unfold"
  | "redraw"
  | "up"
  | "down"
  | "complete"
  | "accept"
  | "closeCompletion"
  | "scrollUp"
  | "scrollDown"
  | "pageUp"
  | "pageDown"
  | "closeView"
  | "choose"
  | "dismiss"
  | "mark"
  | "selectNext"
  | "selectPrevious";

interface Binding {
  readonly keys: readonly string[];
  readonly does: Act;
  /** For the list of keys; what everybody knows has none. */
  readonly summary?: string;
}

const editing: readonly Binding[] = [
  { keys: ["alt+enter", "shift+enter", "ctrl+j"], does: "newline", summary: "a new line" },
  { keys: ["left"], does: "left" },
  { keys: ["right", "ctrl+f"], does: "right" },
  { keys: ["ctrl+left", "alt+left", "alt+b"], does: "wordLeft" },
  { keys: ["ctrl+right", "alt+right", "alt+f"], does: "wordRight" },
  { keys: ["home", "ctrl+a"], does: "lineStart" },
  { keys: ["end", "ctrl+e"], does: "lineEnd" },
  { keys: ["backspace", "shift+backspace"], does: "backspace" },
  { keys: ["delete"], does: "deleteNext" },
  { keys: ["ctrl+w", "alt+backspace", "ctrl+backspace"], does: "deleteWord", summary: "delete a word" },
  { keys: ["ctrl+u"], does: "deleteToStart", summary: "delete to the start of the line" },
  { keys: ["ctrl+k"], does: "deleteToEnd", summary: "delete to the end of the line" },
];

const everywhere: readonly Binding[] = [
  { keys: ["ctrl+c"], does: "cancel", summary: "clear the prompt, stop the turn; twice: leave" },
  { keys: ["ctrl+d"], does: "leave", summary: "leave, if the prompt is empty" },
  {
    keys: ["ctrl+b"],
    does: "background",
    summary: "what runs in the foreground goes on in the background; in tmux press it twice",
  },
  { keys: ["shift+tab"], does: "nextMode", summary: "the next permission mode: edits, plan, delegate" },
  { keys: ["shift+down"], does: "nextMember", summary: "look at the next teammate" },
  { keys: ["shift+up"], does: "previousMember", summary: "look at the one before" },
  { keys: ["ctrl+t"], does: "tasks", summary: "show or hide the tasks" },
  { keys: ["ctrl+o"], does: "unfold", summary: "all that was said and done, unfolded" },
  { keys: ["ctrl+l"], does: "redraw", summary: "draw the screen again" },
];

/** What the keys mean, by what has the keyboard; the first that matches counts. */
const bindings: Readonly<Record<Focus, readonly Binding[]>> = {
  dialog: [
    { keys: ["up", "shift+tab", "ctrl+p"], does: "selectPrevious" },
    { keys: ["down", "tab", "ctrl+n"], does: "selectNext" },
    { keys: ["enter"], does: "choose" },
    { keys: ["escape", "ctrl+c"], does: "dismiss" },
    { keys: ["ctrl+o"], does: "unfold" },
    { keys: ["ctrl+l"], does: "redraw" },
  ],
  words: [{ keys: ["enter"], does: "choose" }, { keys: ["escape", "ctrl+c"], does: "dismiss" }, ...editing],
  completion: [
    { keys: ["up", "ctrl+p"], does: "selectPrevious" },
    { keys: ["down", "ctrl+n"], does: "selectNext" },
    { keys: ["tab"], does: "complete" },
    { keys: ["enter"], does: "accept" },
    { keys: ["escape"], does: "closeCompletion" },
    ...everywhere,
    ...editing,
  ],
  view: [
    { keys: ["escape"], does: "closeView" },
    { keys: ["up"], does: "scrollUp" },
    { keys: ["down"], does: "scrollDown" },
    { keys: ["pageup"], does: "pageUp" },
    { keys: ["pagedown"], does: "pageDown" },
    { keys: ["enter"], does: "submit" },
    ...everywhere,
    ...editing,
  ],
  prompt: [
    { keys: ["enter"], does: "submit", summary: "send; during a turn it waits for the next step" },
    { keys: ["escape"], does: "interrupt", summary: "stop the turn" },
    { keys: ["up", "ctrl+p"], does: "up", summary: "what was typed before" },
    { keys: ["down", "ctrl+n"], does: "down" },
    ...everywhere,
    ...editing,
  ],
};

export const actOf = (focus: Focus, key: string): Act | undefined =>
  bindings[focus].find(({ keys }) => keys.includes(key))?.does;

export const isEdit = (act: Act): act is Edit => Object.hasOwn(edits, act);

/** The keys for people, from the table. */
export const keyHelp = (): readonly (readonly [keys: string, summary: string])[] =>
  bindings.prompt.flatMap(({ keys, summary }) =>
    summary === undefined ? [] : [[keys.slice(0, 2).join(", "), summary] as const],
  );
