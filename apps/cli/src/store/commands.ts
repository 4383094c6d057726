import { type Command, defineCommand } from "../command.ts";

/** The commands about the store itself, where that is PostgreSQL. */
export const storeCommands: readonly Command[] = [
  defineCommand({
    name: "store migrate",
    summary: "create the tables of a store on PostgreSQL, or bring them up to date",
    details:
      "In one transaction, and one process at a time; a second time does nothing. The role needs the right to create tables in the first schema of its search_path, those of the other commands do not.",
    args: [],
    options: {},
    examples: [["troupe store migrate --store postgres://me@db/teams", "once for a database, and after an update"]],
    load: () => import("./migrate.ts"),
  }),
  defineCommand({
    name: "store check",
    summary: "say which version a store on PostgreSQL has, how far behind it is, and what does not agree in it",
    details:
      "Looks at all teams at one moment and changes nothing. Exits with 1 where its tables are of another version, a document cannot be read, or two tables say different things.",
    args: [],
    options: {},
    examples: [["troupe store check", "with TROUPE_STORE set; also what troupe doctor finds there"]],
    load: () => import("./check.ts"),
  }),
  defineCommand({
    name: "store import",
    summary: "add the teams, tasks and plans below a directory to a store on PostgreSQL",
    details:
      "In one transaction: all of them or, where a name is taken, none. Documents go over as they are, in both revisions, with fields that nobody knows and texts that nobody can read; what is no text stays where it is and is named. So do locks, worktrees, transcripts and the histories of teams that have ended. End what works in the teams before, and name the store to it after.",
    args: [
      {
        name: "dir",
        summary: "the directory that holds teams/ and tasks/ (default: that of --root)",
        isOptional: true,
        completes: "directory",
      },
    ],
    options: {},
    examples: [["troupe store import ~/.claude --store postgres://me@db/teams", "the files stay as they are"]],
    load: () => import("./import.ts"),
  }),
  defineCommand({
    name: "store export",
    summary: "write the teams, tasks and plans of a store on PostgreSQL into a directory",
    details:
      "As they stand at one moment, in the files that all clients of the protocol read. Refused before anything is written where the directory has a team or a list of the same name.",
    args: [{ name: "dir", summary: "the directory to hold teams/ and tasks/", completes: "directory" }],
    options: {},
    examples: [["troupe store export backup", "troupe show backup shows them"]],
    load: () => import("./export.ts"),
  }),
];
