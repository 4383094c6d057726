import { type Command, defineCommand } from "../command.ts";
import { definitionOptions } from "../session/options.ts";

const revisionOption = {
  value: "REVISION",
  choices: ["2026-02", "2026-11"],
  summary: "the revision to read them by (default: 2026-02)",
} as const;
const where =
  "Definitions are read from .claude/agents in this directory and its parents up to the repository root, and from agents/ under the root. Of several with one name the nearest is used.";

/** The commands about agent definitions. */
export const agentsCommands: readonly Command[] = [
  defineCommand({
    name: "agents list",
    summary: "list the agent definitions, and which one is used where several have one name",
    details: where,
    args: [],
    options: definitionOptions,
    examples: [["troupe agents list", "the definitions usable from this directory"]],
    load: () => import("./list.ts"),
  }),
  defineCommand({
    name: "agents lint",
    summary: "check agent definitions against the sixteen rules; each finding has its line and a fix",
    details: `${where} Error: Claude Code ignores the file. Warning: Claude Code does something other than the file says. Note: another client behaves differently. --revision 2026-02 applies the rules as strictly as their authors wrote them. READMEs, commands and skills are skipped unless they are named. Exits with 1 if there is an error.`,
    args: [
      {
        name: "paths",
        summary: "files or directories (default: the definitions that agents list shows)",
        isOptional: true,
        isRest: true,
        completes: "file",
      },
    ],
    options: {
      revision: { ...revisionOption, summary: "the revision to check against (default: 2026-11)" },
      fix: {
        summary: "fix what has only one meaning: missing quotes, old tool names, upper and lower case",
      },
      "max-warnings": { value: "N", summary: "also exit with 1 if there are more warnings than this" },
      format: {
        value: "FORM",
        choices: ["text", "github", "sarif"],
        summary: "text, GitHub Actions annotations, or SARIF 2.1.0 (default: text)",
      },
    },
    examples: [
      ["troupe agents lint", "every definition usable from this directory"],
      ["troupe agents lint .claude/agents/reviewer.md", "one file"],
      [
        "troupe agents lint agents --max-warnings 0 --format github",
        "in a workflow: annotations on the lines of a pull request",
      ],
      ["troupe agents lint --format sarif > lint.sarif", "for a code host that reads SARIF"],
    ],
    load: () => import("./lint.ts"),
  }),
  defineCommand({
    name: "agents inspect",
    summary: "show what an agent would work with here, and where each part comes from",
    details:
      "Model, tools, mode, memory and the rest, each with the file and line, the setting, the variable or the default that makes it so; then its prompt, and which parts of its definition are not understood or have no effect.",
    args: [{ name: "agent", summary: "its name, or a path ending in .md", completes: "file" }],
    options: { revision: revisionOption, ...definitionOptions },
    examples: [
      ["troupe agents inspect code-reviewer", "by name"],
      ["troupe agents inspect drafts/reviewer.md", "by file"],
    ],
    load: () => import("./inspect.ts"),
  }),
];
