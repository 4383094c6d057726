import { type Command, defineCommand } from "../command.ts";

/** The command that ties files to a database. */
export const bridgeCommands: readonly Command[] = [
  defineCommand({
    name: "bridge",
    summary: "let clients of files on this machine take part in teams on PostgreSQL",
    details:
      "Carries mail, members and tasks between the files below --root and the database of --store, both ways, until it is stopped; each machine has one. A team that only one side has is created on the other. Members belong to the machine in whose files they joined; elsewhere they are shown with the backend remote. A task without an owner may be claimed in the files of one machine at a time; in the others its owner is host.NAME, or host.none while it is no one's. Stopped or cut off, both sides go on alone, and what waited is carried later. troupe doctor says how far a bridge is behind.",
    args: [
      {
        name: "team",
        summary: "the teams to carry (default: all in the files)",
        isOptional: true,
        isRest: true,
        completes: "team",
      },
    ],
    options: {
      host: { value: "NAME", summary: "what this machine is called in the teams; each has its own name" },
      once: { summary: "carry what waits, say what is left, and end" },
    },
    examples: [
      ["troupe bridge --store postgres://me@db/teams --host desk", "where the team was created"],
      [
        "troupe bridge crew --store postgres://me@db/teams --host lab",
        "on another machine, which has no files of it yet",
      ],
    ],
    exits: { 1: "with --once, something could not be carried" },
    isLive: true,
    load: () => import("./bridge.ts"),
  }),
];
