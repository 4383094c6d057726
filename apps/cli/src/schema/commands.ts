import { type Command, defineCommand } from "../command.ts";

const revisionOption = (summary: string) => ({ value: "REVISION", choices: ["2026-02", "2026-11"], summary }) as const;
const kindArg = { name: "kind", summary: "what it describes: troupe schema list names them" } as const;

/** What is asked of the published schemas. */
export const schemaCommands: readonly Command[] = [
  defineCommand({
    name: "schema list",
    summary: "the published schemas of both revisions",
    args: [],
    options: { revision: revisionOption("only those of this revision") },
    examples: [["troupe schema list", "every kind of document, message and tool call"]],
    load: () => import("./list.ts"),
  }),
  defineCommand({
    name: "schema print",
    summary: "one schema, as JSON Schema (draft 2020-12)",
    args: [kindArg],
    options: { revision: revisionOption("of this revision (default: the newest that has it)") },
    examples: [["troupe schema print inbox-entry --revision 2026-02 > inbox-entry.json", "for a validator"]],
    load: () => import("./print.ts"),
  }),
  defineCommand({
    name: "schema validate",
    summary: "whether a file is what it should be: each problem with its line and what would mend it",
    details:
      "Judged by every revision that has the kind, unless one is named. Ends with 0 if the file is right in one of those.",
    args: [kindArg, { name: "file", summary: "the file; - reads standard input", completes: "file" }],
    options: { revision: revisionOption("judge by this revision alone") },
    examples: [
      ["troupe schema validate team-config ~/.claude/teams/parser-team/config.json", "a team's config"],
      ["troupe schema validate task 3.json --revision 2026-11", "a task, by one revision"],
    ],
    load: () => import("./validate.ts"),
  }),
];
