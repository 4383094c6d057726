import { expect, test } from "vitest";
import { otherRole } from "./role.ts";

const definition = "---\nname: helper\ndescription: Checks.\n---\nYou check.\n";
const prose = "# About\n\nText\n";

test.each([
  ["agents/README.md", prose, "documentation"],
  [".claude/agents/sub/readme.md", prose, "documentation"],
  ["agents/CLAUDE.md", prose, "documentation"],
  ["agents/README.zh-CN.md", prose, "documentation"],
  ["agents/CONTRIBUTING.md", `${prose}\n---\nname: as-in-an-example\n---\n`, "documentation"],
  ["plugins/a/skills/b/SKILL.md", definition, "a skill"],
  ["agents/SKILL.md", definition, "a skill"],
  ["plugins/a/skills/b/reference.md", definition, "part of a skill"],
  ["plugins/a/commands/review.md", "---\ndescription: Reviews.\n---\nReview.", "a command"],
  ["C:\\work\\commands\\review.md", definition, "a command"],
])("%s is no definition", (file, text, role) => {
  expect(otherRole(file, text)).toBe(role);
});

test.each([
  ["agents/helper.md", definition],
  ["agents/readme.md", definition],
  ["commands/agents/helper.md", definition],
  ["agents/notes.md", prose],
  ["readme-writer.md", definition],
  ["helper.md", definition],
])("%s may be a definition", (file, text) => {
  expect(otherRole(file, text)).toBeUndefined();
});
