import { type Command, defineCommand, teamArg } from "../command.ts";

/** The command that follows a team. */
export const watchCommands: readonly Command[] = [
  defineCommand({
    name: "watch",
    summary: "follow a team while it works: changes of members, tasks and messages, and what members record",
    details:
      "Without a team, on a terminal: a screen of all live teams, with what waits for you first, and keys to answer it and to go to a member's pane. Otherwise shows the team, then one line per change or recorded event, until Ctrl-C or until the team is deleted. Takes no lock and writes nothing. In revision 2026-11 a message that is read at once may be removed before it is seen.",
    args: [{ ...teamArg, isOptional: true }],
    options: {},
    examples: [
      ["troupe watch", "all live teams on one screen"],
      ["troupe watch parser-team", "until Ctrl-C"],
      ["troupe watch parser-team --json", "one JSON document per line, for a program"],
    ],
    isLive: true,
    load: () => import("./watch.ts"),
  }),
];
