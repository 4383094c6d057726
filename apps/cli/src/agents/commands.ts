import { type Command, defineCommand } from "../command.ts";

const revisionOption = {
  value: "REVISION",
  choices: ["2026-02", "2026-11"],
  summary: "by this revision (default: 2026-02)",
} as const;
const where =
  "They lie in .claude/agents of this directory and those above it, up to the repository's, and in agents/ of the root; the nearest of one name counts.";

/** What is asked of agent definitions. */
export const agentsCommands: readonly Command[] = [
  defineCommand({
    name: "agents list",
    summary: "the agent definitions there are, and which of those with one name counts",
    details: where,
    args: [],
    options: {},
    examples: [["troupe agents list", "what can be asked for here"]],
    load: () => import("./list.ts"),
  }),
  defineCommand({
    name: "agents lint",
    summary: "judge agent definitions by the sixteen rules, each finding with its line and what would mend it",
    details: `${where} Ends with 1 if there is an error; warnings and notes are no failure.`,
    args: [
      {
        name: "paths",
        summary: "files, or directories with such files (those that agents list shows unless they are said)",
        isOptional: true,
        isRest: true,
        completes: "file",
      },
    ],
    options: { revision: revisionOption },
    examples: [
      ["troupe agents lint", "everything that is found from here"],
      ["troupe agents lint .claude/agents/reviewer.md", "one file"],
    ],
    load: () => import("./lint.ts"),
  }),
  defineCommand({
    name: "agents inspect",
    summary: "one definition as it is understood, and what of it is not",
    args: [{ name: "agent", summary: "its name, or a file that ends in .md", completes: "file" }],
    options: { revision: revisionOption },
    examples: [
      ["troupe agents inspect code-reviewer", "by its name"],
      ["troupe agents inspect drafts/reviewer.md", "by its file"],
    ],
    load: () => import("./inspect.ts"),
  }),
];
