import { type Command, defineCommand, teamArg, yesOption } from "../command.ts";

/** What is asked of teams. */
export const teamCommands: readonly Command[] = [
  defineCommand({
    name: "show",
    summary: "every team at a glance: members, tasks, unread messages, and what is wrong",
    details: "Takes no lock and writes nothing. What cannot be read is named, and hides nothing else.",
    args: [{ name: "dir", summary: "the same as --root", isOptional: true, completes: "directory" }],
    options: {},
    examples: [
      ["troupe show", "the teams of $CLAUDE_CONFIG_DIR or ~/.claude"],
      ["troupe show apps/cli/sample", "the teams of another directory"],
    ],
    load: () => import("./show-all.ts"),
  }),
  defineCommand({
    name: "team list",
    summary: "the names of all teams, with how many members and tasks they have",
    args: [],
    options: {},
    examples: [
      ["troupe team list", "one line for each team"],
      ["troupe team list --json", "the same for a program"],
    ],
    load: () => import("./list.ts"),
  }),
  defineCommand({
    name: "team show",
    summary: "one team: members, tasks, unread messages, and what is wrong",
    args: [teamArg],
    options: {},
    examples: [["troupe team show parser-team", "who is in it, what is to be done, who has mail"]],
    load: () => import("./show.ts"),
  }),
  defineCommand({
    name: "team create",
    summary: "make a team with its lead alone",
    details:
      "The revision is the form of its files, fixed for the life of the team. Claude Code up to 2.1.147 works in teams of 2026-02, from 2.1.178 on in those of 2026-11.",
    args: [{ name: "team", summary: "a name: letters, digits, - and _, single dots" }],
    options: {
      description: { value: "TEXT", summary: "what the team is for" },
      revision: {
        value: "REVISION",
        choices: ["2026-02", "2026-11"],
        summary: "the form of its files (default: 2026-02)",
      },
      lead: { value: "NAME", summary: "what the lead is called (default: team-lead)" },
      model: { value: "MODEL", summary: "the lead's model (default: inherit)" },
      cwd: { value: "DIR", summary: "where the lead works (default: here)", completes: "directory" },
      session: { value: "UUID", summary: "the lead's session (default: a new one)" },
    },
    examples: [
      [
        'troupe team create parser-team --description "Give the parser error recovery"',
        "a team of the older form, in which messages that were read stay",
      ],
      ["troupe team create docs --revision 2026-11", "a team of the newer form, in which they are removed"],
    ],
    load: () => import("./create.ts"),
  }),
  defineCommand({
    name: "team join",
    summary: "register a teammate",
    details: "Starts nothing: whoever runs the agent does that.",
    args: [teamArg, { name: "name", summary: "how the others address it" }],
    options: {
      type: { value: "AGENT", summary: "its definition (default: general-purpose)" },
      model: { value: "MODEL", summary: "its model (default: inherit)" },
      prompt: { value: "TEXT", summary: "its first instruction; - reads it from standard input" },
      cwd: { value: "DIR", summary: "where it works (default: here)", completes: "directory" },
      backend: {
        value: "BACKEND",
        choices: ["tmux", "in-process"],
        summary: "where its agent runs (default: not said)",
      },
      pane: { value: "PANE", summary: "its tmux pane as tmux calls it, such as %14; says --backend tmux as well" },
    },
    examples: [
      ["troupe team join parser-team alice --type Explore", "alice can be sent messages, and take tasks"],
      ["troupe team join parser-team bob --pane $TMUX_PANE", "bob runs in this pane"],
    ],
    load: () => import("./join.ts"),
  }),
  defineCommand({
    name: "team leave",
    summary: "take a teammate out of the team",
    details:
      "Its inbox and its tasks stay as they are; unfinished ones are named. The lead cannot leave: delete the team instead.",
    args: [teamArg, { name: "name", summary: "the member's name" }],
    options: {},
    examples: [["troupe team leave parser-team alice", "nobody can send to alice any more"]],
    load: () => import("./leave.ts"),
  }),
  defineCommand({
    name: "team delete",
    summary: "end a team as its revision does: 2026-02 removes its tasks too, 2026-11 leaves them",
    details: "Asks first, and refuses while the team has teammates.",
    args: [teamArg],
    options: { yes: yesOption, force: { summary: "even while it has teammates" } },
    examples: [
      ["troupe team delete parser-team", "asks, then removes it"],
      ["troupe team delete parser-team --yes --force", "does not ask, whoever is still in it"],
    ],
    load: () => import("./delete.ts"),
  }),
];
