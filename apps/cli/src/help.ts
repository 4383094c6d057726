import { type Answer, type Command, exits, globalOptions, type Option } from "./command.ts";
import type { Section } from "./commands.ts";
import type { Printed, Span } from "./paint.ts";
import { optionUsage, usageOf } from "./usage.ts";

const exitMeanings: Readonly<Record<number, string>> = {
  [exits.done]: "done",
  [exits.failed]: "refused, failed, or a problem was found",
  [exits.wrong]: "the command line is wrong",
  [exits.absent]: "there is no such team, member, task, definition or file",
  [exits.locked]: "another process holds the lock: try again",
  [exits.damaged]: "a file is damaged, or another is in its place: see troupe doctor",
  [exits.faulty]: "a bug in troupe",
  [exits.hungUp]: "stopped because its terminal was closed",
  [exits.interrupted]: "stopped by Ctrl-C",
  [exits.terminated]: "stopped by SIGTERM",
};

/** Help about everything, a group or one command. */
export function helpAbout(about: string, sections: readonly Section[]): Answer {
  const all = sections.flatMap(({ commands }) => commands);
  const chosen = all.filter(({ name }) => about === "" || name === about || name.startsWith(`${about} `));
  const [command] = chosen;
  const document = { about, commands: chosen.map(described), options: globalOptions, exits: exitMeanings };
  if (about !== "" && command?.name === about) return { document, text: commandHelp(command) };
  return { document, text: about === "" ? overallHelp(sections) : groupHelp(about, chosen) };
}

const described = ({ load: _, ...row }: Command) => ({ ...row, usage: usageOf(row) });

function overallHelp(sections: readonly Section[]): Printed[] {
  const longest = Math.max(...sections.flatMap(({ commands }) => commands.map(({ name }) => name.length)));
  return [
    "troupe runs, inspects and steers teams of coding agents through the files they share.",
    "",
    [bold("usage"), ": troupe <command> [options]"],
    ...sections.flatMap(({ title, commands }) => ["", bold(title), summaryTable(commands, longest)]),
    "",
    bold("options of every command"),
    optionTable(globalOptions),
    "",
    bold("examples"),
    ...exampleLines([
      ["troupe show", "every team: its members, tasks and unread messages"],
      ["troupe task list parser-team --json", "JSON for a program"],
      ["troupe help task", "the commands about tasks"],
    ]),
    "",
    bold("exit codes"),
    exitTable(exitMeanings),
  ];
}

const groupHelp = (group: string, commands: readonly Command[]): Printed[] => [
  [bold("usage"), `: troupe ${group} <command> [options]`],
  "",
  summaryTable(commands),
  "",
  bold("examples"),
  ...exampleLines(commands.flatMap(({ examples }) => examples.slice(0, 1)).slice(0, 4)),
  "",
  `troupe ${group} <command> --help says more; troupe help lists everything.`,
];

function commandHelp(command: Command): Printed[] {
  const { name, summary, details, args, options, examples, exits: own } = command;
  return [
    [bold("usage"), `: ${usageOf(command)}`],
    "",
    summary,
    ...(details ? ["", details] : []),
    ...(args.length > 0 ? ["", { rows: args.map((arg): Span[] => [bold(`<${arg.name}>`), arg.summary]) }] : []),
    ...(Object.keys(options).length > 0 ? ["", bold("options"), optionTable(options)] : []),
    "",
    bold("options of every command"),
    optionTable(globalOptions),
    "",
    bold("examples"),
    ...exampleLines(examples),
    "",
    ...(own ? [bold("exit codes"), exitTable(own), ""] : []),
    `The schema of what --json prints: schemas/${name.replace(" ", "-")}.json${command.isLive ? ", one document per line" : ""}.`,
  ];
}

const bold = (text: string): Span => ({ text, style: "bold" });
const summaryTable = (commands: readonly Command[], width = 0): Printed => ({
  rows: commands.map(({ name, summary }) => [bold(name.padEnd(width)), summary]),
});
const optionTable = (options: Readonly<Record<string, Option>>): Printed => ({
  rows: Object.entries(options).map(([name, option]) => [bold(optionUsage(name, option)), option.summary]),
});
const exitTable = (meanings: Readonly<Record<number, string>>): Printed => ({
  rows: Object.entries(meanings).map(([exit, meaning]) => [bold(exit), meaning]),
});
const exampleLines = (examples: Command["examples"]): Printed[] =>
  examples.flatMap(([line, meaning]) => [`  ${line}`, { text: `      ${meaning}`, style: "dim" } as const]);
