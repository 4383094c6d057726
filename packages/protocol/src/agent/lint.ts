import { pointer } from "../problems.ts";
import type { Revision } from "../revisions/revision.ts";
import { openAgentFile } from "./agent-file.ts";
import type { Position } from "./agent-problem.ts";
import { clientEnd, readAsClient } from "./client-reading.ts";
import { essentialRules } from "./rules/essentials.ts";
import { fileRules } from "./rules/file.ts";
import { hookRules } from "./rules/hooks.ts";
import { referenceRules } from "./rules/references.ts";
import type { Complaint, LintRule, LintRuleId, LintSeverity, LintSurroundings } from "./rules/rule.ts";
import { toolRules } from "./rules/tools.ts";
import { valueRules } from "./rules/values.ts";

/** The definition to judge, and what is known around it. */
export interface LintTarget {
  /** The path of the file; with either kind of slash. */
  readonly path: string;
  readonly text: string;
  readonly revision?: Revision;
  readonly surroundings?: LintSurroundings;
}

/** One breach of one rule, at its place. */
export interface LintFinding extends Position {
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
 * Checks a definition against the sixteen rules, in line order. 2026-02 has the severities of the
 * authors, stricter than any reader; in 2026-11 exactly the findings that make the client ignore
 * the file are errors.
 */
export function lintAgentDefinition({
  path,
  text,
  revision = "2026-02",
  surroundings = {},
}: LintTarget): LintFinding[] {
  const file = openAgentFile(text);
  const client = revision === "2026-11" ? readAsClient(text) : undefined;
  const fields = client?.fields ?? file.document?.fields;
  const end = clientEnd(text);
  const known = { ...(client && { client }), ...(end && { clientEnd: end }) };
  const subject = { path, revision, surroundings, file, ...known, fields: fields ?? {} };
  const rules = fields ? lintRules : fileRules;
  return rules
    .flatMap((rule) =>
      rule.check(subject).map((complaint): LintFinding => {
        const { path: at, place, message, isIgnored, fix } = complaint;
        const { line, column } = place ?? file.document?.place(at) ?? { line: 1, column: 1 };
        const told = client && isIgnored ? `${message}; Claude Code ignores this file` : message;
        const severity = client ? todaysSeverity(rule, complaint) : (complaint.severity ?? rule.severity);
        return { rule: rule.id, severity, path: pointer(at), message: told, fix, line, column };
      }),
    )
    .sort((a, b) => a.line - b.line || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0));
}

function todaysSeverity(rule: LintRule, { severity = rule.severity, isIgnored }: Complaint): LintSeverity {
  if (isIgnored) return "error";
  return severity === "error" ? "warning" : severity;
}
