import type { SessionEvent } from "@troupe/runtime";
import type { Style } from "../paint.ts";
import type { Completion } from "./completion.ts";
import type { Decision, Dialog, Question } from "./dialog.ts";
import { type Editor, emptyEditor } from "./editor.ts";
import type { Key } from "./keys.ts";
import type { Slash } from "./slash.ts";
import { emptyTalk, type Talk } from "./talk.ts";

/** A teammate, as its lead's screen knows it. */
export interface Mate {
  readonly name: string;
  readonly color: Style;
  /** Ready, working, idle, needs input or ended. */
  readonly doing: string;
  readonly talk: Talk;
  /** Its own events are heard: it works in this process. */
  readonly isHeard: boolean;
}

/** Work besides the main conversation: an agent below it, or a command in the background. */
interface SeenWork {
  readonly id: string;
  readonly kind: "agent" | "command";
  readonly description: string;
  readonly isBackground: boolean;
}

/** What an agent has done so far. */
interface Progress {
  readonly calls: number;
  /** The last call that it made. */
  readonly last: string;
}

/** A task of the list. */
export interface SeenTask {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly owner: string | undefined;
  readonly blockedBy: readonly string[];
}

/** What the session says of itself at a moment. */
export interface Status {
  readonly model: string;
  readonly mode: string;
  /** It leads a team, and may only hand work on to it. */
  readonly mayDelegate: boolean;
  /** Words that wait for the next step of the turn. */
  readonly queued: readonly string[];
  readonly work: readonly SeenWork[];
  readonly cost: number | undefined;
  readonly tokens: { readonly sent: number; readonly cached: number; readonly output: number };
}

/** The screen, as the fold of what happened. */
export interface State {
  readonly columns: number;
  readonly rows: number;
  readonly talk: Talk;
  readonly mates: readonly Mate[];
  readonly status: Status;
  /** Of agents below the main conversation, by their ids. */
  readonly progress: Readonly<Record<string, Progress>>;
  readonly tasks: readonly SeenTask[];
  readonly hasTasks: boolean;
  readonly editor: Editor;
  readonly history: readonly string[];
  /** Where in the history the prompt stands, and what was typed before. */
  readonly recalled: { readonly at: number; readonly draft: string } | undefined;
  readonly completion: Completion | undefined;
  readonly commands: readonly Slash[];
  /** The agents that can be named, and the models that can be switched to. */
  readonly agents: readonly Slash[];
  readonly models: readonly Slash[];
  readonly files: readonly string[] | undefined;
  /** The first is on the screen. */
  readonly dialogs: readonly Dialog[];
  /** A whole screen over the conversation: of a teammate, or of the main one unfolded. */
  readonly view: { readonly mate: string | undefined; readonly isUnfolded: boolean; readonly up: number } | undefined;
  /** When the turn began, and what time it is, in milliseconds. */
  readonly since: number | undefined;
  /** When the person wished for a summary, which waits until no turn goes on. */
  readonly compactingSince: number | undefined;
  readonly now: number;
  readonly typedAt: number;
  /** A line below the prompt, until the next key. */
  readonly hint: string | undefined;
  readonly isLeaving: boolean;
}

/** What happens to the screen. */
export type Message =
  | { readonly kind: "key"; readonly key: Key; readonly at: number }
  | { readonly kind: "event"; readonly event: SessionEvent; readonly mate?: string | undefined; readonly at: number }
  | { readonly kind: "status"; readonly status: Status }
  | { readonly kind: "mates"; readonly mates: readonly Pick<Mate, "name" | "color">[] }
  | { readonly kind: "tasks"; readonly tasks: readonly SeenTask[] }
  | { readonly kind: "files"; readonly files: readonly string[] }
  | { readonly kind: "ask"; readonly id: string; readonly question: Question; readonly at: number }
  | { readonly kind: "settled"; readonly id: string }
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "hint"; readonly text: string }
  /** The conversation is being summarised at the person's wish, or no longer. */
  | { readonly kind: "compacting"; readonly isOn: boolean; readonly at: number }
  /** A plan that is asked about: it stays above the question. */
  | { readonly kind: "plan"; readonly from: string | undefined; readonly input: unknown }
  /** A session begins, or goes on with what was said before. */
  | {
      readonly kind: "opened";
      readonly talk: Talk;
      readonly history: readonly string[];
      readonly commands: readonly Slash[];
      readonly agents: readonly Slash[];
      readonly models: readonly Slash[];
    }
  | { readonly kind: "size"; readonly columns: number; readonly rows: number }
  | { readonly kind: "tick"; readonly at: number };

/** What the screen wants done outside of it. */
export type Effect =
  | { readonly do: "submit"; readonly text: string }
  | { readonly do: "shell"; readonly command: string }
  | { readonly do: "tell"; readonly to: string; readonly text: string }
  | { readonly do: "decide"; readonly id: string; readonly decision: Decision | undefined }
  | { readonly do: "mode"; readonly mode: string }
  | { readonly do: "model"; readonly name: string }
  | { readonly do: "compact"; readonly words: string }
  | { readonly do: "delegate"; readonly isOn: boolean }
  | { readonly do: "interrupt" | "background" | "listFiles" | "leave" | "resume" | "clear" | "redraw" };

export const restingStatus: Status = {
  model: "",
  mode: "default",
  mayDelegate: false,
  queued: [],
  work: [],
  cost: undefined,
  tokens: { sent: 0, cached: 0, output: 0 },
};

export const emptyState: State = {
  columns: 80,
  rows: 24,
  talk: emptyTalk,
  mates: [],
  status: restingStatus,
  progress: {},
  tasks: [],
  hasTasks: false,
  editor: emptyEditor,
  history: [],
  recalled: undefined,
  completion: undefined,
  commands: [],
  agents: [],
  models: [],
  files: undefined,
  dialogs: [],
  view: undefined,
  since: undefined,
  compactingSince: undefined,
  now: 0,
  typedAt: Number.NEGATIVE_INFINITY,
  hint: undefined,
  isLeaving: false,
};

/** Whether a turn goes on, or a command of the person's runs. */
export const isWorking = ({ talk, since, compactingSince }: State): boolean =>
  talk.doing !== "resting" || since !== undefined || compactingSince !== undefined;
