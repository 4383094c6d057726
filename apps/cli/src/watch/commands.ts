import { type Command, defineCommand, teamArg } from "../command.ts";

/** What goes on while one looks. */
export const watchCommands: readonly Command[] = [
  defineCommand({
    name: "watch",
    summary: "a team while it works: members, tasks and messages as they change",
    details:
      "Shows the team, then one line for each change, until Ctrl-C or the end of the team. Takes no lock and writes nothing. In revision 2026-11 a message that is read at once may be gone before it is seen.",
    args: [teamArg],
    options: {},
    examples: [
      ["troupe watch parser-team", "until Ctrl-C"],
      ["troupe watch parser-team --json", "one document a line, for a program"],
    ],
    isLive: true,
    load: () => import("./watch.ts"),
  }),
];
