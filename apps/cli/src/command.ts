import type { Readable, Writable } from "node:stream";
import type { Block } from "./paint.ts";

/** What a shell can offer for a word. */
export type Completion = "team" | "file" | "directory" | readonly string[];

/** A word behind the command. */
export interface Arg {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: true;
  /** Takes every word that is left; the last one of its command. */
  readonly isRest?: true;
  readonly completes?: Completion;
}

/** Something that is asked for by name. */
export interface Option {
  readonly summary: string;
  /** What its value is called; without one it is a switch. */
  readonly value?: string;
  readonly short?: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  readonly isRepeated?: true;
  readonly completes?: Completion;
}

/** What ends a command: documented in the help, the same for all. */
export const exits = {
  done: 0,
  failed: 1,
  wrong: 2,
  absent: 3,
  locked: 4,
  damaged: 5,
  faulty: 70,
  interrupted: 130,
  terminated: 143,
} as const;
export type Exit = (typeof exits)[keyof typeof exits];

/** What a command was called with, and all it may know of the world. */
export interface Call<Args = object, Options = object> {
  readonly args: Args;
  readonly options: Options;
  /** The directory that holds `teams/` and `tasks/`. */
  readonly root: string;
  readonly cwd: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** The version of this program. */
  readonly version: string;
  /** For what this program starts, and for whoever speaks with it by lines. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly streams: { readonly input: Readable; readonly output: Writable };
  /** The table in which this command is. */
  readonly commands: readonly Command[];
  /** All of standard input as text. */
  read(): Promise<string>;
  /** Undefined when somebody said yes, now or with `--yes`; else how the command is to end. */
  confirm(question: string): Promise<Answer | undefined>;
  /** Prints one of many answers at once, for commands that go on. With `--json` each is one line. */
  tell(answer: Answer): Promise<Exit>;
}

/** How a command ends. */
export interface Answer {
  /** What `--json` prints; its schema has the name of the command. Without one there is nothing but a reason. */
  readonly document?: object;
  /** What is printed without it. */
  readonly text?: readonly Block[];
  /** One line for people beside what was asked for: a reason, or what to do next. */
  readonly remark?: string;
  readonly exit?: Exit;
  /** Done once the answer is out; not done if nobody took it. */
  readonly afterwards?: () => Promise<void>;
}

/** A row of the table of commands, which parsing, help and completion read. */
export interface Command {
  /** One word, or two of which the first is a group. */
  readonly name: string;
  readonly summary: string;
  /** What is to be known before it is used. */
  readonly details?: string;
  readonly args: readonly Arg[];
  readonly options: Readonly<Record<string, Option>>;
  /** A command line, and what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** What its exit codes mean where they differ from those of all. */
  readonly exits?: Readonly<Record<number, string>>;
  /** It goes on until it is stopped: nobody is told that it takes long. */
  readonly isLive?: true;
  readonly load: () => Promise<CommandModule>;
}

/** What the module of a command exports; loaded when it is called, so that help waits for nothing. */
interface CommandModule {
  run(call: Call): Promise<Answer | undefined>;
}

type ValueOf<O extends Option> = O extends { isRepeated: true }
  ? readonly string[]
  : O extends { choices: readonly (infer Choice)[] }
    ? Choice
    : O extends { value: string }
      ? string
      : boolean;
type OptionValues<O extends Readonly<Record<string, Option>>> = { readonly [Name in keyof O]?: ValueOf<O[Name]> };
type ArgValues<A extends readonly Arg[]> = {
  readonly [One in A[number] as One["name"]]: One extends { isRest: true }
    ? readonly string[]
    : One extends { isOptional: true }
      ? string | undefined
      : string;
};

/** Sees to it that what the row promises is what the module takes. */
export const defineCommand = <const A extends readonly Arg[], const O extends Readonly<Record<string, Option>>>(
  row: Omit<Command, "args" | "options" | "load"> & {
    readonly args: A;
    readonly options: O;
    readonly load: () => Promise<{
      readonly run: (call: Call<ArgValues<A>, OptionValues<O>>) => Promise<Answer | undefined>;
    }>;
  },
): Command => row as Command;

/** Words that several commands take. */
export const teamArg = { name: "team", summary: "the team's name", completes: "team" } as const;
export const idArg = { name: "id", summary: "the task's id" } as const;
export const asOption = {
  value: "MEMBER",
  summary: "act as this member (default: the team's lead)",
} as const;
export const yesOption = { short: "y", summary: "do it without asking" } as const;

/** The values of options that more than one part reads. */
export interface GlobalValues {
  readonly root?: string;
  readonly yes?: boolean;
}

/** Options of every command. */
export const globalOptions = {
  root: {
    value: "DIR",
    summary: "the directory that holds teams/ and tasks/ (default: $CLAUDE_CONFIG_DIR or ~/.claude)",
    completes: "directory",
  },
  json: { summary: "print JSON, as the schema of the command says" },
  debug: { summary: "with an error: its code, its details, its stack" },
  help: { short: "h", summary: "what the command does, with examples" },
} as const satisfies Readonly<Record<string, Option>>;
