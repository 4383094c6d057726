import { type Answer, type Command, exits, globalOptions, type Option } from "./command.ts";
import type { Section } from "./commands.ts";
import type { Block, Span } from "./paint.ts";
import { optionUsage, usageOf } from "./usage.ts";

const exitMeanings: Readonly<Record<number, string>> = {
  [exits.done]: "done",
  [exits.failed]: "refused or failed, or something wrong was found",
  [exits.wrong]: "asked in a wrong way",
  [exits.absent]: "there is no such team, member, task, definition or file",
  [exits.locked]: "somebody else holds it: try again",
  [exits.damaged]: "a file is damaged or in the way: troupe doctor says more",
  [exits.faulty]: "a fault of troupe itself",
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

function overallHelp(sections: readonly Section[]): Block[] {
  const longest = Math.max(...sections.flatMap(({ commands }) => commands.map(({ name }) => name.length)));
  return [
    "troupe looks at teams of coding agents and steers them, through the files they share.",
    "",
    [bold("usage"), ": troupe <command> [options]"],
    ...sections.flatMap(({ title, commands }) => ["", bold(title), summaryTable(commands, longest)]),
    "",
    bold("options of every command"),
    optionTable(globalOptions),
    "",
    bold("examples"),
    ...exampleLines([
      ["troupe show", "every team: who is in it, what is to be done, who has mail"],
      ["troupe task list parser-team --json", "for a program"],
      ["troupe help task", "more about tasks"],
    ]),
    "",
    bold("exit codes"),
    exitTable(exitMeanings),
  ];
}

const groupHelp = (group: string, commands: readonly Command[]): Block[] => [
  [bold("usage"), `: troupe ${group} <what> [options]`],
  "",
  summaryTable(commands),
  "",
  bold("examples"),
  ...exampleLines(commands.flatMap(({ examples }) => examples.slice(0, 1)).slice(0, 4)),
  "",
  `troupe ${group} <what> --help says more, troupe help shows everything.`,
];

function commandHelp(command: Command): Block[] {
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
    `The schema of what --json prints: schemas/${name.replace(" ", "-")}.json${command.isLive ? ", one document a line" : ""}.`,
  ];
}

const bold = (text: string): Span => ({ text, style: "bold" });
const summaryTable = (commands: readonly Command[], width = 0): Block => ({
  rows: commands.map(({ name, summary }) => [bold(name.padEnd(width)), summary]),
});
const optionTable = (options: Readonly<Record<string, Option>>): Block => ({
  rows: Object.entries(options).map(([name, option]) => [bold(optionUsage(name, option)), option.summary]),
});
const exitTable = (meanings: Readonly<Record<number, string>>): Block => ({
  rows: Object.entries(meanings).map(([exit, meaning]) => [bold(exit), meaning]),
});
const exampleLines = (examples: Command["examples"]): Block[] =>
  examples.flatMap(([line, meaning]) => [`  ${line}`, { text: `      ${meaning}`, style: "dim" } as const]);
