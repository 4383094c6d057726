import type { Printed } from "../paint.ts";
import { type Act, actOf, type Focus, isEdit, keyHelp } from "./bindings.ts";
import { completed, completionFor, wantsFiles } from "./completion.ts";
import { choose, type Dialog, dismiss, mark, type Step, select } from "./dialog.ts";
import { type Editor, editorOf, edits, emptyEditor, insert, vertically } from "./editor.ts";
import type { Key } from "./keys.ts";
import { type SlashName, slashes, slashIn } from "./slash.ts";
import { type Effect, isWorking, type State } from "./state.ts";
import { withItem } from "./talk.ts";

interface Acted {
  readonly state: State;
  readonly effects: readonly Effect[];
}

const done = (state: State, ...effects: readonly Effect[]): Acted => ({ state, effects });

/** What has the keyboard. */
function focusOf({ dialogs, completion, view }: State): Focus {
  const [dialog] = dialogs;
  if (dialog) return dialog.words ? "words" : "dialog";
  if (completion) return "completion";
  return view ? "view" : "prompt";
}

/** The screen after a key. */
export function act(state: State, key: Key): Acted {
  const focus = focusOf(state);
  const name = actOf(focus, key.name);
  const calm = { ...state, hint: undefined, isLeaving: false };
  const [dialog] = state.dialogs;
  if (dialog) return inDialog(calm, dialog, name, key);
  if (key.text !== undefined) return typed(calm, insert(calm.editor, key.text));
  if (name === undefined) return done(calm);
  if (name === "cancel") return cancel(calm, state.isLeaving);
  if (isEdit(name)) return typed(calm, edits[name](calm.editor));
  return actions[name]?.(calm) ?? done(calm);
}

const actions: Readonly<Partial<Record<Act, (state: State) => Acted>>> = {
  submit,
  accept: (state) => (state.editor.text.startsWith("/") ? submit(complete(state)) : done(complete(state))),
  complete: (state) => done(complete(state)),
  closeCompletion: (state) => done({ ...state, completion: undefined }),
  selectNext: (state) => done(moved(state, 1)),
  selectPrevious: (state) => done(moved(state, -1)),
  interrupt: (state) => (isWorking(state) ? done(state, { do: "interrupt" }) : done(state)),
  leave: (state) =>
    state.editor.text === "" ? done(state, { do: "leave" }) : typed(state, edits.deleteNext(state.editor)),
  background: (state) => done(state, { do: "background" }),
  nextMode: (state) => done(state, { do: "mode", mode: modeAfter(state) }),
  nextMember: (state) => done(turnedTo(state, 1)),
  previousMember: (state) => done(turnedTo(state, -1)),
  tasks: (state) => done({ ...state, hasTasks: !state.hasTasks }),
  unfold: (state) => done({ ...state, view: unfolded(state.view) }),
  closeView: (state) => done({ ...state, view: undefined }),
  redraw: (state) => done(state, { do: "redraw" }),
  up: (state) => done(recalled(state, -1)),
  down: (state) => done(recalled(state, 1)),
  scrollUp: (state) => done(scrolled(state, 1)),
  scrollDown: (state) => done(scrolled(state, -1)),
  pageUp: (state) => done(scrolled(state, Math.max(1, state.rows - 6))),
  pageDown: (state) => done(scrolled(state, -Math.max(1, state.rows - 6))),
};

function inDialog(state: State, dialog: Dialog, name: Act | undefined, key: Key): Acted {
  const [, ...others] = state.dialogs;
  const shown = (next: Dialog) => done({ ...state, dialogs: [next, ...others] });
  const stepped = (step: Step) =>
    "dialog" in step
      ? shown(step.dialog)
      : done({ ...state, dialogs: others }, { do: "decide", id: dialog.id, decision: step.decision });
  if (!dialog.isArmed) return key.text === undefined ? done(state) : typed(state, insert(state.editor, key.text));
  if (dialog.words) {
    if (key.text !== undefined) return shown({ ...dialog, words: insert(dialog.words, key.text) });
    if (name && isEdit(name)) return shown({ ...dialog, words: edits[name](dialog.words) });
  }
  if (key.text === " ") return shown(mark(dialog));
  const number = key.name === "text" ? Number(key.text) : Number.NaN;
  if (Number.isInteger(number) && number >= 1 && number <= dialog.choices.length) {
    const selected = { ...dialog, selected: number - 1 };
    return dialog.isMany ? shown(mark(selected)) : stepped(choose(selected));
  }
  if (name === "choose") return stepped(choose(dialog));
  if (name === "dismiss") return stepped(dismiss(dialog));
  if (name === "selectNext") return shown(select(dialog, 1));
  if (name === "selectPrevious") return shown(select(dialog, -1));
  // All of it goes above for good, where a screen of any height can be scrolled to.
  if (name === "unfold" && dialog.about.length > 1)
    return done({ ...state, talk: withItem(state.talk, { kind: "whole", blocks: dialog.about }) });
  return name === "redraw" ? done(state, { do: "redraw" }) : done(state);
}

/** The prompt with another text, and what it could become. */
function typed(state: State, editor: Editor): Acted {
  const needsFiles = wantsFiles(editor) && state.files === undefined;
  const next = { ...state, editor, completion: completionFor(editor, state), recalled: undefined };
  return done(next, ...(needsFiles ? [{ do: "listFiles" } as const] : []));
}

const complete = (state: State): State =>
  state.completion ? { ...state, editor: completed(state.editor, state.completion), completion: undefined } : state;

function moved(state: State, step: number): State {
  const { completion } = state;
  if (!completion) return state;
  const count = completion.options.length;
  return { ...state, completion: { ...completion, selected: (completion.selected + step + count) % count } };
}

function submit(state: State): Acted {
  const { text, at } = state.editor;
  // A backslash at the end of a line is for keyboards that have no other way to a new line.
  if (text[at - 1] === "\\" && at === text.length) return typed(state, editorOf(`${text.slice(0, -1)}\n`));
  const line = text.trim();
  if (line === "") return done(state);
  const history = state.history.at(-1) === line ? state.history : [...state.history, line];
  const next = { ...state, editor: emptyEditor, completion: undefined, recalled: undefined, history };
  const slash = slashIn(line);
  if (slash) return slashed(next, slash.name, slash.words);
  const { mate } = state.view ?? {};
  if (mate !== undefined) return done(next, { do: "tell", to: mate, text: line });
  if (!line.startsWith("!")) return done(next, { do: "submit", text: line });
  const command = line.slice(1).trim();
  const talk = withItem(next.talk, { kind: "person", text: `! ${command}` });
  return command === "" ? done(state) : done({ ...next, talk }, { do: "shell", command });
}

const notice = (state: State, text: string): Acted =>
  done({ ...state, talk: withItem(state.talk, { kind: "notice", text }) });

function slashed(state: State, name: SlashName, words: string): Acted {
  switch (name) {
    case "help":
      return done({ ...state, talk: withItem(state.talk, { kind: "whole", blocks: helpLines(state) }) });
    case "resume":
    case "clear":
      return done(state, { do: name });
    case "exit":
      return done(state, { do: "leave" });
    case "compact":
      return done(state, { do: "compact", words });
    case "model": {
      if (words !== "") return done(state, { do: "model", name: words });
      const known = state.models.map(({ name: model, summary }) => `${model}  ${summary}`);
      return notice(state, [`This session is with ${state.status.model}. There are:`, ...known].join("\n"));
    }
    case "plan":
      return done(state, { do: "mode", mode: state.status.mode === "plan" ? "default" : "plan" });
    case "delegate":
      if (!state.status.mayDelegate) return notice(state, "There is no team that work could be handed on to.");
      return done(state, { do: "delegate", isOn: state.status.mode !== "delegate" });
    case "tasks":
      return done({ ...state, hasTasks: !state.hasTasks });
    case "team": {
      const mates = state.mates.map(({ name: mate, doing }) => `${mate}: ${doing}`);
      return notice(state, mates.length === 0 ? "There are no teammates." : mates.join("\n"));
    }
    case "cost":
      return notice(state, costText(state));
  }
}

function helpLines({ commands }: State): readonly Printed[] {
  const rows = [...keyHelp(), ...[...slashes, ...commands].map(({ name, summary }) => [`/${name}`, summary] as const)];
  const known = new Map(rows);
  known.set("! command", "run a command of your own in the shell");
  known.set("@", "name a file, or an agent as @agent-NAME");
  return [...known].map(([key, summary]) => ({
    hang: 26,
    spans: [{ text: `  ${key}`.padEnd(26), style: "cyan" }, summary],
  }));
}

function costText({ status: { tokens, cost } }: State): string {
  const share = tokens.sent === 0 ? 0 : Math.round((100 * tokens.cached) / tokens.sent);
  const price = cost === undefined ? "its price is not known" : `$${cost.toFixed(4)}`;
  return `${tokens.sent} tokens sent, ${share} % of them read from the cache; ${tokens.output} received; ${price}`;
}

function cancel(state: State, isLeaving: boolean): Acted {
  if (state.editor.text !== "")
    return done({ ...state, editor: emptyEditor, completion: undefined, recalled: undefined });
  if (isLeaving) return done(state, { do: "leave" });
  const effects: readonly Effect[] = isWorking(state) ? [{ do: "interrupt" }] : [];
  return done({ ...state, isLeaving: true, hint: "ctrl+c once more leaves" }, ...effects);
}

/** The modes of the key: a lead of a team may also only hand work on. */
function modeAfter({ status: { mode, mayDelegate } }: State): string {
  // What it hands on works in the mode that was before: so this one stands behind the usual one.
  const modes = ["default", ...(mayDelegate ? ["delegate"] : []), "acceptEdits", "plan"];
  return modes[(modes.indexOf(mode) + 1) % modes.length] ?? "default";
}

/**
 * The view of the teammate before or after this one; beyond the ends stands the main conversation.
 */
function turnedTo(state: State, step: number): State {
  const names: readonly (string | undefined)[] = [undefined, ...state.mates.map(({ name }) => name)];
  if (names.length === 1) return { ...state, hint: "there are no teammates to look at" };
  const at = names.indexOf(state.view?.mate);
  const mate = names[(at + step + names.length) % names.length];
  return { ...state, completion: undefined, view: mate === undefined ? undefined : { mate, isUnfolded: false, up: 0 } };
}

/** All of the main conversation, and back; a teammate's is folded and unfolded where it stands. */
function unfolded(view: State["view"]): State["view"] {
  if (!view) return { mate: undefined, isUnfolded: true, up: 0 };
  return view.mate === undefined ? undefined : { ...view, isUnfolded: !view.isUnfolded };
}

const scrolled = (state: State, rows: number): State =>
  state.view ? { ...state, view: { ...state.view, up: Math.max(0, state.view.up + rows) } } : state;

/** Up and down move the cursor between the lines, and beyond them through what was typed before. */
function recalled(state: State, step: -1 | 1): State {
  const { editor, history, recalled: now } = state;
  const within = vertically(editor, step);
  if (within) return { ...state, editor: within };
  const from = now?.at ?? history.length;
  const at = Math.min(history.length, Math.max(0, from + step));
  if (at === from) return state;
  const draft = now?.draft ?? editor.text;
  const text = history[at] ?? draft;
  return { ...state, editor: editorOf(text), recalled: at === history.length ? undefined : { at, draft } };
}
