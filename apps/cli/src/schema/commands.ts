import { type Command, defineCommand } from "../command.ts";

const revisionOption = (summary: string) => ({ value: "REVISION", choices: ["2026-02", "2026-11"], summary }) as const;
const kindArg = { name: "kind", summary: "what the schema describes; troupe schema list shows them all" } as const;

/** The commands about the published schemas. */
export const schemaCommands: readonly Command[] = [
  defineCommand({
    name: "schema list",
    summary: "list the published schemas of both revisions",
    args: [],
    options: { revision: revisionOption("only schemas of this revision") },
    examples: [["troupe schema list", "every kind of document, message and tool call"]],
    load: () => import("./list.ts"),
  }),
  defineCommand({
    name: "schema print",
    summary: "print one schema, as JSON Schema (draft 2020-12)",
    args: [kindArg],
    options: { revision: revisionOption("the revision (default: the newest that has this schema)") },
    examples: [["troupe schema print inbox-entry --revision 2026-02 > inbox-entry.json", "for a validator"]],
    load: () => import("./print.ts"),
  }),
  defineCommand({
    name: "schema validate",
    summary: "check a file against a schema; each problem has its line and a fix",
    details:
      "The file is checked against every revision that has this schema, unless --revision names one. Exits with 0 if it is valid in one of them.",
    args: [kindArg, { name: "file", summary: "the file; - reads standard input", completes: "file" }],
    options: { revision: revisionOption("check against this revision only") },
    examples: [
      ["troupe schema validate team-config ~/.claude/teams/parser-team/config.json", "a team's config"],
      ["troupe schema validate task 3.json --revision 2026-11", "a task, against one revision"],
    ],
    load: () => import("./validate.ts"),
  }),
];
