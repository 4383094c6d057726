import { type Command, defineCommand, exactTeamArg, teamArg, yesOption } from "../command.ts";

const allOption = { all: { summary: "those too in which nobody is at work" } } as const;

/** The commands about teams. */
export const teamCommands: readonly Command[] = [
  defineCommand({
    name: "show",
    summary: "show every team: members, tasks, unread messages, problems, and tasks without a team",
    details:
      "Takes no lock and writes nothing. Teams in which nobody is at work are only named while another is live. A file that cannot be read is listed as a problem, and the rest is still shown.",
    args: [{ name: "dir", summary: "the same as --root, or a team", isOptional: true, completes: "directory" }],
    options: allOption,
    examples: [
      ["troupe show", "the teams of $CLAUDE_CONFIG_DIR or ~/.claude"],
      ["troupe show apps/cli/sample", "the teams of another directory"],
    ],
    load: () => import("./show-all.ts"),
  }),
  defineCommand({
    name: "team list",
    summary: "list all teams, with their numbers of members and tasks",
    details: "Teams in which nobody is at work are only named while another is live.",
    args: [],
    options: allOption,
    examples: [
      ["troupe team list", "one line per team"],
      ["troupe team list --json", "the same for a program"],
    ],
    load: () => import("./list.ts"),
  }),
  defineCommand({
    name: "team show",
    summary: "show one team: members, tasks, unread messages, and problems",
    args: [teamArg],
    options: {},
    examples: [["troupe team show parser-team", "its members, open tasks and unread messages"]],
    load: () => import("./show.ts"),
  }),
  defineCommand({
    name: "team create",
    summary: "create a team whose only member is its lead",
    details:
      "The revision is the format of the team's files and never changes afterwards. Claude Code up to 2.1.147 works with teams of revision 2026-02, and from 2.1.178 on with teams of 2026-11.",
    args: [{ name: "team", summary: "a name: letters, digits, - and _, single dots" }],
    options: {
      description: { value: "TEXT", summary: "what the team is for" },
      revision: {
        value: "REVISION",
        choices: ["2026-02", "2026-11"],
        summary: "the format of its files (default: 2026-02)",
      },
      lead: { value: "NAME", summary: "the lead's name (default: team-lead)" },
      model: { value: "MODEL", summary: "the lead's model (default: inherit)" },
      cwd: { value: "DIR", summary: "where the lead works (default: here)", completes: "directory" },
      session: { value: "UUID", summary: "the lead's session id (default: a new one)" },
      "lead-pid": {
        value: "PID",
        summary: "the process that leads, where a program does; with its end the team is over (revision 2026-11)",
      },
    },
    examples: [
      [
        'troupe team create parser-team --description "Give the parser error recovery"',
        "the older format, which keeps messages that were read",
      ],
      ["troupe team create docs --revision 2026-11", "the newer format, which removes them"],
    ],
    load: () => import("./create.ts"),
  }),
  defineCommand({
    name: "team join",
    summary: "add a teammate to a team",
    details: "Only writes the team's config; it starts no agent.",
    args: [teamArg, { name: "name", summary: "the name that others address it by" }],
    options: {
      type: { value: "AGENT", summary: "its agent definition (default: general-purpose)", completes: "agent" },
      model: { value: "MODEL", summary: "its model (default: inherit)" },
      prompt: { value: "TEXT", summary: "its first instruction; - reads it from standard input" },
      cwd: { value: "DIR", summary: "where it works (default: here)", completes: "directory" },
      backend: {
        value: "BACKEND",
        choices: ["tmux", "in-process"],
        summary: "where its agent runs (default: not recorded)",
      },
      pane: { value: "PANE", summary: "the id of its tmux pane, such as %14; implies --backend tmux" },
    },
    examples: [
      ["troupe team join parser-team alice --type Explore", "alice can receive messages and claim tasks"],
      ["troupe team join parser-team bob --pane $TMUX_PANE", "bob runs in this pane"],
    ],
    load: () => import("./join.ts"),
  }),
  defineCommand({
    name: "team leave",
    summary: "remove a teammate from a team",
    details:
      "Its inbox and its tasks are kept; its unfinished tasks are listed. The lead cannot leave: delete the team instead.",
    args: [exactTeamArg, { name: "name", summary: "the whole name of the member", completes: "member" }],
    options: {},
    examples: [["troupe team leave parser-team alice", "alice can no longer be sent messages"]],
    load: () => import("./leave.ts"),
  }),
  defineCommand({
    name: "team compact",
    summary: "remove read messages from all inboxes of a team",
    details:
      "For teams of revision 2026-02, which keeps read messages for ever; in 2026-11 there are none. Refuses while the team has teammates, because Claude Code identifies messages by their position in the file.",
    args: [exactTeamArg],
    options: { yes: yesOption, force: { summary: "even while the team has teammates" } },
    examples: [["troupe team compact parser-team", "asks, then says how many it removed"]],
    load: () => import("./compact.ts"),
  }),
  defineCommand({
    name: "team delete",
    summary: "delete a team; revision 2026-02 deletes its tasks too, 2026-11 keeps them",
    details:
      "Asks first. Refuses while the team has teammates. --force asks those that run to end, gives them five seconds, and ends them with everything below them.",
    args: [exactTeamArg],
    options: { yes: yesOption, force: { summary: "even while the team has teammates, which it ends" } },
    examples: [
      ["troupe team delete parser-team", "asks, then deletes it"],
      ["troupe team delete parser-team --yes --force", "does not ask, and ends teammates that run"],
    ],
    load: () => import("./delete.ts"),
  }),
];
