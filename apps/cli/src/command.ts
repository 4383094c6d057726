import type { Readable, Writable } from "node:stream";
import type { Spawns } from "@troupe/backends/host";
import type { Store } from "@troupe/store";
import type { Printed } from "./paint.ts";

/** What a shell can complete for a word. */
export type Completion = "team" | "member" | "task" | "agent" | "file" | "directory" | readonly string[];

/** A positional argument of a command. */
export interface Arg {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: true;
  /** Takes all remaining words; only the last argument of a command can. */
  readonly isRest?: true;
  /** The option with which this argument is not given. */
  readonly unless?: string;
  readonly completes?: Completion;
}

/** An option of a command. */
export interface Option {
  readonly summary: string;
  /** The name of its value in the help; without one the option is a switch. */
  readonly value?: string;
  readonly short?: string;
  /** Other names, which users of other clients type. */
  readonly aliases?: readonly string[];
  /** The only values it takes. */
  readonly choices?: readonly string[];
  readonly isRepeated?: true;
  /** Its value may be empty, which means something; that of a TEXT may be in any case. */
  readonly takesNothing?: true;
  /** With it the command runs until it is stopped. */
  readonly isLive?: true;
  /** With it the command ends or removes something, so that no name is guessed. */
  readonly isDestructive?: true;
  readonly completes?: Completion;
}

/** The exit codes of all commands, documented in the help. */
export const exits = {
  done: 0,
  failed: 1,
  wrong: 2,
  absent: 3,
  locked: 4,
  damaged: 5,
  faulty: 70,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;
export type Exit = (typeof exits)[keyof typeof exits];

/** A store, with what can be asked of hosts where it reaches several machines. */
export type OpenStore = Store & { readonly spawns?: Spawns };

/** The arguments of a command, and its whole environment. */
export interface Call<Args = object, Options = object> {
  readonly args: Args;
  readonly options: Options;
  /** The directory that holds `teams/` and `tasks/`. */
  readonly root: string;
  /** The home directory of the user. */
  readonly home: string;
  readonly cwd: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Whether the user gave `--json`. */
  readonly isJson: boolean;
  /** The version of this program. */
  readonly version: string;
  /** The environment for processes that this program starts. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The stores that are open, by what they keep; they are closed when the command has ended. */
  readonly stores: Map<string, Promise<OpenStore>>;
  readonly streams: { readonly input: Readable; readonly output: Writable };
  /** The table of all commands. */
  readonly commands: readonly Command[];
  /** Reads all of standard input as text. */
  read(): Promise<string>;
  /** Returns undefined when the user agreed, now or with `--yes`; else the answer to end with. */
  confirm(question: string): Promise<Answer | undefined>;
  /** Does work that says itself that it takes long: no other line says that the command goes on. */
  quietly<T>(work: Promise<T>): Promise<T>;
  /** Prints one line on standard error for people, and the command continues. */
  note(message: string): void;
  /** Prints one of many answers immediately, for live commands. With `--json` each is one line. */
  tell(answer: Answer): Promise<Exit>;
}

/** The result of a command. */
export interface Answer {
  /**
   * What `--json` prints; its schema has the name of the command. Absent if there is only a remark.
   */
  readonly document?: object;
  /** What is printed without `--json`, made while it is printed where there may be much of it. */
  readonly text?: Iterable<Printed>;
  /** One line for people on standard error: a reason, or what to do next. */
  readonly remark?: string;
  readonly exit?: Exit;
  /** Runs once the answer is printed; never runs if printing failed. */
  readonly afterwards?: () => Promise<void>;
}

/** A row of the table of commands, which parsing, help and completion read. */
export interface Command {
  /** One word, or a group and a word. */
  readonly name: string;
  readonly summary: string;
  /** What a user must know before using the command. */
  readonly details?: string;
  readonly args: readonly Arg[];
  readonly options: Readonly<Record<string, Option>>;
  /** Command lines, and what each does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** The meanings of its exit codes where they differ from those of all commands. */
  readonly exits?: Readonly<Record<number, string>>;
  /** The command runs until it is stopped, so no message says that it takes long. */
  readonly isLive?: true;
  /** The command reads its words itself, even those that look like options. */
  readonly isForwarded?: true;
  readonly load: () => Promise<CommandModule>;
}

/**
 * What the module of a command exports; loaded only when the command is called, so that help is
 * fast.
 */
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
/** What the options of a row come to. */
export type OptionValues<O extends Readonly<Record<string, Option>>> = {
  readonly [Name in keyof O]?: ValueOf<O[Name]>;
};
type ArgValues<A extends readonly Arg[]> = {
  readonly [One in A[number] as One["name"]]: One extends { isRest: true }
    ? readonly string[]
    : One extends { isOptional: true } | { unless: string }
      ? string | undefined
      : string;
};

/**
 * Types a row, so that its module takes exactly the arguments and options that the row declares.
 */
export const defineCommand = <const A extends readonly Arg[], const O extends Readonly<Record<string, Option>>>(
  row: Omit<Command, "args" | "options" | "load"> & {
    readonly args: A;
    readonly options: O;
    readonly load: () => Promise<{
      readonly run: (call: Call<ArgValues<A>, OptionValues<O>>) => Promise<Answer | undefined>;
    }>;
  },
): Command => row as Command;

/** Arguments and options that several commands take. */
export const teamArg = {
  name: "team",
  summary:
    "the team, or a unique beginning of its name; without it $TROUPE_TEAM, else the only team, else the newest live one",
  completes: "team",
} as const;
/** Of a command that removes something: its team is never guessed. */
export const exactTeamArg = { name: "team", summary: "the whole name of the team", completes: "team" } as const;
export const idArg = { name: "id", summary: "the task's id", completes: "task" } as const;
export const asOption = {
  value: "MEMBER",
  summary: "act as this member (default: the team's lead)",
  completes: "member",
} as const;
export const yesOption = { short: "y", summary: "do not ask for confirmation" } as const;

/** The values of options that more than one part reads. */
export interface GlobalValues {
  readonly root?: string;
  readonly store?: string;
  readonly yes?: boolean;
}

/** The options of every command. */
export const globalOptions = {
  root: {
    value: "DIR",
    summary: "the directory that holds teams/ and tasks/ (default: $CLAUDE_CONFIG_DIR or ~/.claude)",
    completes: "directory",
  },
  store: {
    value: "URL",
    summary: "postgres://USER@HOST/DATABASE, or files below the root (default: $TROUPE_STORE or the setting teamStore)",
  },
  json: { summary: "print JSON that matches the schema of the command" },
  debug: { summary: "show the code, details and stack of an error" },
  help: { short: "h", summary: "show what the command does, with examples" },
} as const satisfies Readonly<Record<string, Option>>;
