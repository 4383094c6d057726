import type { SessionEvent } from "@troupe/runtime";
import { isStyle } from "../paint.ts";
import { toldRecord } from "../watch/recorded.ts";
import { act } from "./act.ts";
import { aboutCall, fieldOf } from "./call-lines.ts";
import { completionFor } from "./completion.ts";
import { dialogOf } from "./dialog.ts";
import { slashes } from "./slash.ts";
import { type Effect, emptyState, type Mate, type Message, type State } from "./state.ts";
import { emptyTalk, hear, type Talk, withItem } from "./talk.ts";

/** The screen after something happened, and what is to be done outside of it. */
export interface Updated {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** A person that typed so shortly before a question may still be typing when it comes up. */
const typingMs = 1_000;
/** How long such a question takes no answer. */
const armingMs = 400;

export function update(state: State, message: Message): Updated {
  return message.kind === "key"
    ? act({ ...state, typedAt: message.at }, message.key)
    : { state: told(state, message), effects: [] };
}

function told(state: State, message: Exclude<Message, { kind: "key" }>): State {
  switch (message.kind) {
    case "event":
      return happened(state, message);
    case "status":
      return { ...state, status: message.status };
    case "mates":
      return { ...state, mates: message.mates.map((mate) => ({ ...mateNamed(state, mate.name), ...mate })) };
    case "tasks":
      return { ...state, tasks: message.tasks };
    case "files":
      return {
        ...state,
        files: message.files,
        completion: completionFor(state.editor, { ...state, files: message.files }),
      };
    case "ask": {
      const isArmed = message.at - state.typedAt > typingMs;
      const dialog = dialogOf(message.id, message.question, isArmed);
      return { ...state, dialogs: [...state.dialogs, dialog], completion: undefined, now: message.at };
    }
    case "settled":
      return { ...state, dialogs: state.dialogs.filter(({ id }) => id !== message.id) };
    case "said":
      return { ...state, talk: withItem(state.talk, { kind: "notice", text: message.text }) };
    case "hint":
      return { ...state, hint: message.text };
    case "plan": {
      const text = fieldOf(message.input, "plan") ?? "";
      return { ...state, talk: withItem(state.talk, { kind: "plan", from: message.from, text }) };
    }
    case "opened": {
      // What was typed before the session was there waits in the prompt.
      const { columns, rows, now, typedAt, editor, dialogs } = state;
      const { kind: _, commands, talk, ...opened } = message;
      const kept = { columns, rows, now, typedAt, editor, dialogs };
      const isFirst = state.commands.length === 0;
      const known = { ...opened, commands: [...slashes, ...commands], files: undefined };
      return {
        ...emptyState,
        ...kept,
        ...known,
        completion: completionFor(editor, known),
        // What was said before there was a session stands above it for good.
        talk: isFirst ? { ...talk, items: [...state.talk.items, ...talk.items] } : talk,
      };
    }
    case "compacting":
      return { ...state, compactingSince: message.isOn ? message.at : undefined, now: message.at };
    case "size":
      return { ...state, columns: message.columns, rows: message.rows };
    case "tick": {
      const isQuiet = message.at - state.typedAt > armingMs;
      const dialogs = isQuiet ? state.dialogs.map((dialog) => ({ ...dialog, isArmed: true })) : state.dialogs;
      return { ...state, now: message.at, dialogs };
    }
  }
}

function happened(state: State, { event, mate, at }: Extract<Message, { kind: "event" }>): State {
  if (mate !== undefined) return withMate(state, mate, (one) => ({ talk: heardBy(one.talk, event), isHeard: true }));
  if (event.agent) return { ...state, progress: furthered(state.progress, event.agent.id, event) };
  if (event.kind === "teammate") {
    const { kind } = event.seen;
    return withMate(state, event.name, () => ({ doing: kind.replace("_", " ") }));
  }
  if (event.kind === "recorded") return recorded(state, event.recorded);
  const talk = hear(state.talk, event);
  const began = event.kind === "entry" && event.entry.kind === "asked" ? (state.since ?? at) : state.since;
  if (event.kind !== "turn_ended") return { ...state, talk, since: began, now: at };
  // What was said of the turn below the prompt is over with it.
  return { ...state, talk, since: undefined, hint: state.isLeaving ? state.hint : undefined, now: at };
}

/** What a teammate elsewhere does is known from the history of the team alone. */
function recorded(state: State, record: Extract<SessionEvent, { kind: "recorded" }>["recorded"]): State {
  const mate = state.mates.find(({ name }) => name === record.by);
  const { line } = toldRecord(record);
  if (!mate || mate.isHeard || !line) return state;
  const text = line.map((span) => (typeof span === "string" ? span : span.text)).join("");
  return withMate(state, mate.name, ({ talk }) => ({ talk: withItem(talk, { kind: "notice", text }) }));
}

/** What an agent has done after one more of its events. */
function furthered(progress: State["progress"], id: string, event: SessionEvent): State["progress"] {
  if (event.kind !== "entry" || event.entry.kind !== "answered") return progress;
  const made = event.entry.answer.content.flatMap(({ type, name, input }) =>
    type === "tool_use" ? [{ name: String(name), input }] : [],
  );
  const last = made.at(-1);
  if (!last) return progress;
  const { calls = 0 } = progress[id] ?? {};
  return { ...progress, [id]: { calls: calls + made.length, last: `${last.name} ${aboutCall(last)}`.trim() } };
}

/** A teammate's own agents are not shown. */
const heardBy = (talk: Talk, event: Extract<Message, { kind: "event" }>["event"]): Talk =>
  event.agent ? talk : hear(talk, event);

function withMate(state: State, name: string, change: (mate: Mate) => Partial<Mate>): State {
  const known = mateNamed(state, name);
  const mate = { ...known, ...change(known) };
  const isKnown = state.mates.some((one) => one.name === name);
  return {
    ...state,
    mates: isKnown ? state.mates.map((one) => (one.name === name ? mate : one)) : [...state.mates, mate],
  };
}

const mateNamed = ({ mates }: State, name: string): Mate =>
  mates.find((one) => one.name === name) ?? { name, color: "bold", doing: "starting", talk: emptyTalk, isHeard: false };

/** The style of the colour that a roster gives a member. */
export const styleOf = (color: string | undefined): Mate["color"] => (isStyle(color) ? color : "bold");
