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
  readonly offers: readonly Word[] | "names" | "file" | "directory";
}

/** What the program is asked for, since only it knows the names there are. */
const named: ReadonlySet<Completion | undefined> = new Set(["team", "member", "task", "agent"]);

/** A value that a shell offers by itself, or asks for. */
export type Offer = readonly string[] | "names" | "file" | "directory";

export const offerOf = (completes: Completion | undefined): Offer | undefined =>
  named.has(completes) ? "names" : (completes as Offer | undefined);

/** Everything that a completion script needs from the table of commands. */
export interface Choices {
  readonly nexts: readonly Next[];
  /** Options by the words of a command. */
  readonly options: readonly { readonly words: string; readonly options: Readonly<Record<string, Option>> }[];
  /** Options that take a value, and its possible values. */
  readonly values: ReadonlyMap<string, Offer | undefined>;
}

export function choicesOf(commands: readonly Command[]): Choices {
  const all = commands.map(({ options }) => options);
  return {
    nexts: [...wordsOf("", commands), ...wordsOf("help", commands), ...commands.flatMap(argsOf)],
    options: commands.map(({ name, options }) => ({ words: name, options: { ...options, ...globalOptions } })),
    values: valuesOf([...all, globalOptions]),
  };
}

/** Of options that several commands have under one name, what any of them offers. */
function valuesOf(all: readonly Readonly<Record<string, Option>>[]): Choices["values"] {
  const values = new Map<string, Offer | undefined>();
  for (const [name, { value, choices, completes }] of all.flatMap((options) => Object.entries(options)))
    if (value !== undefined) values.set(`--${name}`, choices ?? offerOf(completes) ?? values.get(`--${name}`));
  return values;
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

/** Where the team may be left out, the words behind it stand one place earlier as well. */
const argsOf = ({ name, args }: Command): Next[] =>
  args.flatMap(({ completes, isRest = false }, others) => {
    const offers = named.has(completes) || named.has(args[others + 1]?.completes) ? "names" : offerOf(completes);
    if (offers === undefined) return [];
    return [{ words: name, others, isRest, offers: typeof offers === "string" ? offers : offers.map(withoutMeaning) }];
  });

const withoutMeaning = (word: string): Word => [word, ""];
