import type { Rule } from "@troupe/fake-anthropic";

/** Where a run happens: fresh for each, with a copy of the sample as its root. */
export interface Place {
  readonly home: string;
  readonly root: string;
  readonly cwd: string;
}

/** All that can be seen of a run, and of what it left. */
export interface Seen {
  readonly stdout: string;
  readonly stderr: string;
  /** What --json printed; of a live command the last line. */
  // biome-ignore lint/suspicious/noExplicitAny: its schema has judged it
  readonly document: any;
  /** What was asked of the model. */
  readonly asked: string;
  /** A file by its path below the root or the working directory; empty where there is none. */
  file(path: string): string;
}

/** A line that is refused: its words behind the command, its exit code, and what it must say. */
export type Refused = readonly [words: readonly string[], status: number, says: string];

/** How a command line is run. {home}, {root} and {cwd} in words stand for the place. */
export interface Ground {
  /** The words behind the command. */
  readonly words?: readonly string[];
  readonly prepare?: (place: Place) => void;
  /** Goes on beside the run, as another member would, until the signal fires. */
  readonly beside?: (place: Place, over: AbortSignal) => Promise<void>;
  readonly input?: string;
  /** The run is stopped once it has said this. */
  readonly until?: string;
  /** The exit code, where it is not 0. */
  readonly status?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Plays the model. */
  readonly model?: Rule;
  /** Its output has a form of its own, so that --json is not asked for beside it. */
  readonly hasOwnForm?: true;
}

/** What an option is tried with: a line with it does what the same line without it does not. */
export type OptionTrial = Ground & {
  /** The option as it is given, with its value. */
  readonly given: readonly string[];
  /** Lines with values that are wrong; switches, choices and texts need none. */
  readonly wrong?: readonly Refused[];
} & (
    | { /** Seen of a run with --json. */ readonly shows: (seen: Seen) => unknown }
    | { /** Seen of a run in words. */ readonly says: (seen: Seen) => unknown }
  );

/** What takes more than one run, and the test file that has them. */
export interface Elsewhere {
  readonly elsewhere: string;
  /** Words that stand in that file. */
  readonly runs: readonly string[];
}

/** What a command is tried with. */
export interface Trial extends Ground {
  /** Lines that are refused, besides those that are wrong for every command. */
  readonly wrong: readonly Refused[];
  readonly options: Readonly<Record<string, OptionTrial | Elsewhere>>;
  /** Where it is played to a good end, if not here. */
  readonly more?: Elsewhere;
  /** A run is dear: the options that need no words of their own are tried in one line. */
  readonly isDear?: true;
}
