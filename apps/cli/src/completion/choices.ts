import { type Command, type Completion, globalOptions, type Option } from "../command.ts";

/** A word that can follow, and what it means. */
export type Word = readonly [word: string, meaning: string];

/** What can follow certain words. */
export interface Next {
  /** The words of a command or a group; empty at the start of the line. */
  readonly words: string;
  /** How many words already follow them. */
  readonly others: number;
  /** Whether more words than that may follow. */
  readonly isRest: boolean;
  readonly offers: readonly Word[] | "team" | "file" | "directory";
}

/** Everything that a completion script needs from the table of commands. */
export interface Choices {
  readonly nexts: readonly Next[];
  /** Options by the words of a command. */
  readonly options: readonly { readonly words: string; readonly options: Readonly<Record<string, Option>> }[];
  /** Options that take a value, and its possible values. */
  readonly values: ReadonlyMap<string, Completion | undefined>;
}

export function choicesOf(commands: readonly Command[]): Choices {
  const all = commands.map(({ options }) => options);
  return {
    nexts: [...wordsOf("", commands), ...wordsOf("help", commands), ...commands.flatMap(argsOf)],
    options: commands.map(({ name, options }) => ({ words: name, options: { ...options, ...globalOptions } })),
    values: new Map(
      [...all, globalOptions as Readonly<Record<string, Option>>]
        .flatMap((options) => Object.entries(options))
        .filter(([, { value }]) => value !== undefined)
        .map(([name, { choices, completes }]) => [`--${name}`, choices ?? completes]),
    ),
  };
}

/** The first words of all commands and the second words of groups, also after `help`. */
function wordsOf(before: string, commands: readonly Command[]): Next[] {
  const groups = new Map<string, Word[]>();
  const first = new Map<string, string>();
  for (const { name, summary } of commands) {
    const [group = name, member] = name.split(" ");
    if (member === undefined) first.set(name, summary);
    else groups.set(group, [...(groups.get(group) ?? []), [member, summary]]);
  }
  for (const [group, members] of groups) first.set(group, members.map(([member]) => member).join(", "));
  if (before === "") first.set("help", "show what a command does, with examples");
  const next = (words: string, offers: readonly Word[]): Next => ({ words, others: 0, isRest: false, offers });
  return [
    next(before, [...first]),
    ...[...groups].map(([group, members]) => next(`${before} ${group}`.trim(), members)),
  ];
}

const argsOf = ({ name, args }: Command): Next[] =>
  args.flatMap(({ completes, isRest = false }, others) =>
    completes === undefined
      ? []
      : [
          {
            words: name,
            others,
            isRest,
            offers: typeof completes === "string" ? completes : completes.map((word) => [word, ""] as const),
          },
        ],
  );
