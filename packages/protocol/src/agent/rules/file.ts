import type { LintRule } from "./rule.ts";

/** The rules about the file itself, which hold even if its front matter cannot be read. */
export const fileRules: readonly LintRule[] = [
  {
    id: "V-AG-01",
    severity: "error",
    title: "the file is an .md file under agents/",
    check({ path }) {
      const [name = "", ...directories] = path.split(/[/\\]/).toReversed();
      const place = { line: 1, column: 1 };
      if (!name.endsWith(".md")) {
        return [{ path: [], message: `${JSON.stringify(path)} is no .md file`, fix: "call the file <name>.md", place }];
      }
      if (directories.includes("agents")) return [];
      const message = `${JSON.stringify(path)} does not lie under a directory called agents`;
      return [{ path: [], message, fix: "move the file to .claude/agents/ or ~/.claude/agents/", place }];
    },
  },
  {
    id: "V-AG-02",
    severity: "error",
    title: "the front matter is valid YAML",
    check: ({ file }) =>
      file.problems
        .filter(({ code }) => ["document_malformed", "key_duplicated", "text_not_utf8"].includes(code))
        .map(({ message, fix, line = 1, column = 1 }) => ({ path: [], message, fix, place: { line, column } })),
  },
];
