import { kindOf, quoted } from "../field-reader.ts";
import { given, type LintRule } from "./rule.ts";

/** The rules about what every definition has: a name, a description, a prompt. */
export const essentialRules: readonly LintRule[] = [
  {
    id: "V-AG-03",
    severity: "error",
    title: "name is there and in kebab-case",
    check(subject) {
      const name = given(subject, "name");
      const fix = "use lower-case letters, digits and single hyphens, as in name: code-reviewer";
      if (name === undefined || name === "") return [{ path: ["name"], message: "name is missing", fix }];
      if (typeof name !== "string") return [{ path: ["name"], message: `name is ${kindOf(name)}, not text`, fix }];
      if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return [];
      return [{ path: ["name"], message: `name is ${quoted(name)}, not kebab-case`, fix }];
    },
  },
  {
    id: "V-AG-04",
    severity: "error",
    title: "description is there and not empty",
    check(subject) {
      const description = given(subject, "description");
      const fix = "say in description: when the agent is to be used";
      if (description === undefined) return [{ path: ["description"], message: "description is missing", fix }];
      if (typeof description !== "string") {
        return [{ path: ["description"], message: `description is ${kindOf(description)}, not text`, fix }];
      }
      return description.trim() === "" ? [{ path: ["description"], message: "description is empty", fix }] : [];
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
