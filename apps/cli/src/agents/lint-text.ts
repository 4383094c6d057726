import type { Revision } from "@troupe/protocol";
import { type AgentFix, type LintFinding, lintRules } from "@troupe/protocol/agent";
import { counted, type Printed, type Span } from "../paint.ts";

/** A finding and its file, as it is shown. */
export type LocatedFinding = LintFinding & { readonly file: string };

/** All findings, and what was fixed. */
export interface LintReport {
  readonly revision: Revision;
  readonly files: number;
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
  /** How many findings `--fix` would fix. */
  readonly fixable: number;
  readonly fixed: readonly (AgentFix & { readonly file: string })[];
  readonly findings: readonly LocatedFinding[];
  readonly passedOver: readonly { readonly file: string; readonly role: string }[];
}

const styles = { error: "red", warning: "yellow", note: "dim" } as const;

/**
 * Renders the findings for people: by file, then by rule, then in one line, and what to do next.
 * Files with an error come last, because the end of a long output is what people read.
 */
export function lintText(judged: LintReport): Printed[] {
  const told = [
    ...judged.fixed.map((one) => [one.file, fixedText(one)] as const),
    ...grouped(listed(judged), ({ file, rule }) => `${rule} ${file}`).flatMap(([, own]) =>
      shortened(own).map((text) => [own[0]?.file ?? "", text] as const),
    ),
  ];
  const wrong = new Set(judged.findings.flatMap(({ severity, file }) => (severity === "error" ? [file] : [])));
  const files = grouped(told, ([file]) => file);
  const byWeight = [...files.filter(([file]) => !wrong.has(file)), ...files.filter(([file]) => wrong.has(file))];
  return [
    ...byWeight.flatMap(([file, texts]): Printed[] => [
      { text: file, style: "bold" },
      ...texts.flatMap(([, text]) => text),
      "",
    ]),
    ...byRule(judged.findings),
    ...passedOverText(judged.passedOver),
    totals(judged),
    ...nextSteps(judged, wrong.size),
  ];
}

/** The most notes that are listed; more of them would hide the rest. */
const listed = ({ notes, findings }: LintReport): readonly LocatedFinding[] =>
  notes > mostNotes ? findings.filter(({ severity }) => severity !== "note") : findings;
const mostNotes = 10;

/**
 * Shows the first findings of one rule in one file: thirty tools of another product are one
 * mistake.
 */
function shortened(findings: readonly LocatedFinding[]): Printed[][] {
  const shown = findings.slice(0, mostOfOneRule).map(findingText);
  const left = findings.length - shown.length;
  return left === 0 ? shown : [...shown, [`    and ${left} more of ${findings[0]?.rule}`]];
}
const mostOfOneRule = 3;

const fixedText = ({ line, message }: AgentFix): Printed[] => [
  [`  ${line} `, { text: "fixed", style: "green" }, ` ${message}`],
];

const findingText = ({ line, column, severity, rule, message, fix }: LocatedFinding): Printed[] => [
  [`  ${line}:${column} `, { text: severity, style: styles[severity] }, ` ${rule}: ${message}`],
  `    fix: ${fix}`,
];

/** Counts the findings of each rule; empty for fewer than two rules. */
function byRule(findings: readonly LocatedFinding[]): Printed[] {
  const rules = grouped(
    [...findings].sort((a, b) => (a.rule < b.rule ? -1 : 1)),
    ({ rule }) => rule,
  );
  if (rules.length < 2) return [];
  const rows = rules.map(([id, own]) => [
    id,
    ...(["error", "warning", "note"] as const).map((severity) => countOf(own, severity)),
    lintRules.find((rule) => rule.id === id)?.title ?? "",
  ]);
  return [{ rows }, ""];
}

function countOf(findings: readonly LocatedFinding[], severity: LocatedFinding["severity"]): Span {
  const count = findings.filter((one) => one.severity === severity).length;
  return count === 0 ? "" : { text: counted(count, severity), style: styles[severity] };
}

function passedOverText(passedOver: LintReport["passedOver"]): Printed[] {
  return grouped(passedOver, ({ role }) => role).map(([role, files]) => {
    const others = files.length > 1 ? ` and ${counted(files.length - 1, "other")}` : "";
    return `skipped as ${role}: ${files[0]?.file}${others}`;
  });
}

/** The line with the totals. */
export const totals = ({ files, errors, warnings, notes, fixed, passedOver }: LintReport): string =>
  [
    counted(files, "file"),
    counted(errors, "error"),
    counted(warnings, "warning"),
    counted(notes, "note"),
    ...(fixed.length > 0 ? [`${fixed.length} fixed`] : []),
    ...(passedOver.length > 0 ? [`${passedOver.length} skipped`] : []),
  ].join(", ");

/** The lines that say what to do first. */
const nextSteps = ({ revision, notes, fixable }: LintReport, lost: number): Printed[] => [
  ...(revision === "2026-11" && lost > 0 ? [`Claude Code does not see ${counted(lost, "file")}: fix the errors.`] : []),
  ...(notes > mostNotes ? [`The ${notes} notes are not listed above: --json has them.`] : []),
  ...(fixable > 0 ? [`--fix fixes ${fixable} of these and says what it changed.`] : []),
];

/** Groups values by key, in the order in which each key came first. */
function grouped<T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly [string, readonly T[]])[] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return [...groups];
}
