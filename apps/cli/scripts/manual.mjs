// The manual page of the command, from the same table as its help.

/**
 * @typedef {{ readonly value?: string, readonly short?: string, readonly summary: string }} Option
 * @typedef {{ readonly name: string, readonly usage: string, readonly summary: string, readonly details?: string,
 *   readonly args: readonly { readonly name: string, readonly summary: string }[],
 *   readonly options: Readonly<Record<string, Option>>,
 *   readonly examples: readonly (readonly [line: string, meaning: string])[] }} Command
 * @typedef {{ readonly commands: readonly Command[], readonly options: Readonly<Record<string, Option>>,
 *   readonly exits: Readonly<Record<string, string>> }} Help
 */

/**
 * Writes troupe(1) in the macros of man(7).
 * @param {Help} help what `troupe help --json` prints
 * @param {string} version
 */
export function manualOf({ commands, options, exits }, version) {
  return `${[
    `.TH TROUPE 1 "" "troupe ${plain(version)}" "User Commands"`,
    ".SH NAME",
    "troupe \\- run, inspect and steer teams of coding agents",
    ".SH SYNOPSIS",
    ".B troupe",
    "[\\fIcommand\\fR] [\\fIoptions\\fR]",
    ".SH DESCRIPTION",
    "troupe runs, inspects and steers teams of coding agents through the files they share. On a terminal it begins a session.",
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH OPTIONS OF EVERY COMMAND",
    ...optionLines(options),
    ".SH EXIT STATUS",
    ...Object.entries(exits).flatMap(([exit, meaning]) => [".TP", `.B ${exit}`, plain(meaning)]),
    ".SH ENVIRONMENT",
    ".TP",
    ".B ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL",
    "the key for the Messages API, and another endpoint",
    ".TP",
    ".B CLAUDE_CONFIG_DIR",
    "the directory that holds teams/ and tasks/, instead of ~/.claude",
    ".TP",
    ".B TROUPE_TEAM",
    "the team that is meant where none is named",
    ".TP",
    ".B TROUPE_SCREEN_READER",
    "set to 1, a session is for a screen reader: nothing moves by itself",
    ".TP",
    ".B NO_COLOR, FORCE_COLOR, COLUMNS",
    "the colours and the width of the output",
  ].join("\n")}\n`;
}

/** @param {Command} command */
const commandLines = ({ usage, summary, details, args, options, examples }) => [
  ".SS",
  plain(usage),
  ".PP",
  sentence(summary),
  ...(details ? [".PP", plain(details)] : []),
  ...args.flatMap(({ name, summary: meaning }) => [".TP", `.I ${plain(name)}`, plain(meaning)]),
  ...optionLines(options),
  ...examples.flatMap(([line, meaning]) => [".PP", sentence(meaning), ".EX", `    ${plain(line)}`, ".EE"]),
];

/** @param {Readonly<Record<string, Option>>} options */
const optionLines = (options) =>
  Object.entries(options).flatMap(([name, { short, value, summary }]) => [
    ".TP",
    `.B ${plain(`${short ? `-${short}, ` : ""}--${name}`)}${value ? ` \\fI${plain(value)}\\fR` : ""}`,
    plain(summary),
  ]);

/** @param {string} text */
const sentence = (text) => plain(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);

/**
 * A text in which roff finds no command of its own.
 * @param {string} text
 */
const plain = (text) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("\n", " ")
    .replace(/^(?=[.'])/, "\\&");
