import { kindOf, quoted } from "../field-reader.ts";
import { given, type LintRule } from "./rule.ts";

/** Why Claude Code takes this for no name. */
function faultForClient(name: string): string | undefined {
  if (name.startsWith("-")) return 'begins with "-"';
  if (name.includes(":")) return 'holds ":", which divides a plugin from its agents';
  return name.length > 256 ? "has more than 256 characters" : undefined;
}

/** Names that Claude Code accepts and this project rejects, since they could escape a directory. */
const refused = (name: string): string =>
  /[/\\\u0000-\u001f\u007f]|^\./.test(name) ? "; Troupe does not load such a definition" : "";

/** The rules about what every definition has: a name, a description, a prompt. */
export const essentialRules: readonly LintRule[] = [
  {
    id: "V-AG-03",
    severity: "error",
    title: "name is present and in kebab-case",
    check(subject) {
      const name = given(subject, "name");
      const fix = "use lower-case letters, digits and single hyphens, as in name: code-reviewer";
      const complaint = { path: ["name"], fix };
      if (name === undefined || name === "") return [{ ...complaint, message: "name is missing", isIgnored: true }];
      if (typeof name !== "string") {
        return [{ ...complaint, message: `name is ${kindOf(name)}, not text`, isIgnored: true }];
      }
      const fault = subject.client && faultForClient(name);
      if (fault) return [{ ...complaint, message: `name ${quoted(name)} ${fault}`, isIgnored: true }];
      if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return [];
      return [{ ...complaint, message: `name is ${quoted(name)}, not kebab-case${refused(name)}` }];
    },
  },
  {
    id: "V-AG-04",
    severity: "error",
    title: "description is present and not empty",
    check(subject) {
      const description = given(subject, "description");
      const fix = "say in description: when the agent is to be used";
      const complaint = { path: ["description"], fix };
      if (description === undefined) return [{ ...complaint, message: "description is missing", isIgnored: true }];
      if (typeof description !== "string") {
        return [{ ...complaint, message: `description is ${kindOf(description)}, not text`, isIgnored: true }];
      }
      const isIgnored = description === "";
      return description.trim() === "" ? [{ ...complaint, message: "description is empty", isIgnored }] : [];
    },
  },
  {
    id: "V-AG-15",
    severity: "warning",
    title: "there is a system prompt below the front matter",
    check: ({ file }) =>
      file.body.trim() === ""
        ? [
            {
              path: [],
              message: "there is no text below the front matter, so the agent has no system prompt",
              fix: "write the prompt below the closing ---",
              place: { line: file.bodyLine, column: 1 },
            },
          ]
        : [],
  },
];
