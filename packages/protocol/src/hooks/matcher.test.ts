import fc from "fast-check";
import { expect, test } from "vitest";
import { compileMatcher, matches } from "./matcher.ts";

test.each([
  [undefined, "Bash", true],
  ["", "Bash", true],
  ["*", "Bash", true],
  [" * ", "Bash", true],
  ["Bash", "Bash", true],
  ["Bash", "BashOutput", false],
  ["bash", "Bash", false],
  ["Edit|Write", "Write", true],
  ["Edit, Write", "Write", true],
  ["Edit | Write", "NotebookEdit", false],
  ["code-reviewer", "code-reviewer", true],
  ["code-reviewer", "my-code-reviewer", false],
  ["mcp__memory", "mcp__memory__write", false],
  ["|", "Bash", false],
  ["Notebook.*", "NotebookEdit", true],
  ["book.", "NotebookEdit", true],
  ["^Edit$", "NotebookEdit", false],
  ["^Edit|Write$", "Write", true],
  ["审查员", "审查员", true],
])("[HOOK-04] matcher %j against %j is %s", (matcher, value, expected) => {
  expect(matches(matcher, value)).toBe(expected);
});

test("a matcher that is no regular expression never matches and says why", () => {
  const { matches, problem } = compileMatcher("Edit(", "/PreToolUse/0/matcher");
  expect(matches("Edit(")).toBe(false);
  expect(problem).toMatchObject({ path: "/PreToolUse/0/matcher", code: "field_invalid" });
  expect(problem?.message).toContain('"Edit("');
});

test("no matcher throws, and one without a problem can be held against anything", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.string({ unit: "binary", maxLength: 12 }),
      (matcher, value) => {
        const compiled = compileMatcher(matcher);
        if (compiled.problem) expect(compiled.matches(value)).toBe(false);
        else expect(typeof compiled.matches(value)).toBe("boolean");
      },
    ),
  );
});
