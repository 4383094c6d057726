import { pointer } from "../problems.ts";
import type { Revision } from "../revisions/revision.ts";
import { openAgentFile } from "./agent-file.ts";
import type { Place } from "./agent-problem.ts";
import { essentialRules } from "./rules/essentials.ts";
import { fileRules } from "./rules/file.ts";
import { hookRules } from "./rules/hooks.ts";
import { referenceRules } from "./rules/references.ts";
import type { LintRule, LintRuleId, LintSeverity, LintSurroundings } from "./rules/rule.ts";
import { toolRules } from "./rules/tools.ts";
import { valueRules } from "./rules/values.ts";

/** The definition to judge, and what is known around it. */
export interface LintTarget {
  /** Where the file lies; with either kind of slash. */
  readonly path: string;
  readonly text: string;
  readonly revision?: Revision;
  readonly surroundings?: LintSurroundings;
}

/** One breach of one rule, at its place. */
export interface LintFinding extends Place {
  readonly rule: LintRuleId;
  readonly severity: LintSeverity;
  /** JSON Pointer to the field; empty for the file. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

const fieldRules = [...essentialRules, ...toolRules, ...valueRules, ...referenceRules, ...hookRules];

/** The sixteen rules, in their order. */
export const lintRules: readonly LintRule[] = [...fileRules, ...fieldRules].sort((a, b) => (a.id < b.id ? -1 : 1));

/**
 * Judges a definition by the sixteen rules, in the order of the lines. They are stricter than the parser: what it takes with a
 * warning may be an error here.
 */
export function lintAgentDefinition({
  path,
  text,
  revision = "2026-02",
  surroundings = {},
}: LintTarget): LintFinding[] {
  const file = openAgentFile(text);
  const { document } = file;
  const subject = { path, revision, surroundings, file, fields: document?.fields ?? {} };
  const rules = document ? lintRules : fileRules;
  return rules
    .flatMap((rule) =>
      rule.check(subject).map(({ path: at, place, severity = rule.severity, message, fix }): LintFinding => {
        const { line, column } = place ?? document?.place(at) ?? { line: 1, column: 1 };
        return { rule: rule.id, severity, path: pointer(at), message, fix, line, column };
      }),
    )
    .sort((a, b) => a.line - b.line || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0));
}
