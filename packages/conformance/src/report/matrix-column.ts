import type { Verdict } from "../check.ts";
import { isRecord } from "../record.ts";
import type { Revision } from "../requirement.ts";
import type { CheckResult, ReportLine } from "../result.ts";
import { gather, levelClaimed, levelMet, type Report, severity } from "./report.ts";
import { concerns, conclusion, subject } from "./wording.ts";

/** What is told of an implementation beside its report. */
export interface MatrixAbout {
  /** Where its own page is, seen from the matrix. */
  readonly href?: string;
  /** How it was reached and what must be known to judge it fairly, a paragraph each. */
  readonly notes?: readonly string[];
  /** The command that asks it again, to which `--only` and a check can be added. */
  readonly command?: string;
}

/** A report in so few words that many fit on one page; plain data, kept as JSON. */
export interface MatrixColumn extends MatrixAbout {
  readonly subject: string;
  readonly homepage?: string;
  readonly revision: Revision;
  readonly suite: string;
  readonly form: string;
  /** Day of the run. */
  readonly date: string;
  readonly standing: { readonly verdict: Verdict; readonly words: string };
  /** The conclusion, and why the verdicts say less than they seem to. */
  readonly remarks: readonly string[];
  readonly counts: Readonly<Partial<Record<Verdict, number>>>;
  /** The worst that was found about each clause, and the check that found it. */
  readonly clauses: Readonly<Record<string, readonly [Verdict, string]>>;
  /** What neither passed nor was beside the point, with short evidence. */
  readonly findings: readonly CheckResult[];
}

/** Undefined for a report without a header: nobody knows what it is about. */
export function columnOf(lines: Iterable<ReportLine>, about: MatrixAbout = {}): MatrixColumn | undefined {
  const report = gather(lines);
  const { header, footer, results } = report;
  if (!header) return undefined;
  const homepage = header.declaration?.homepage;
  return {
    subject: subject(report),
    ...(homepage !== undefined && { homepage }),
    ...about,
    revision: header.revision,
    suite: header.suite.version,
    form: header.form,
    date: header.startedAt.slice(0, 10),
    standing: standing(report),
    remarks: [conclusion(report), ...concerns(report)],
    counts: footer?.counts ?? countsOf(results),
    clauses: worstOf(results),
    findings: results.filter(({ verdict }) => verdict !== "pass" && verdict !== "na").map(shortened),
  };
}

/** Of a run that did not end, what was judged until then. */
function countsOf(results: readonly CheckResult[]): MatrixColumn["counts"] {
  const found = severity.map((verdict) => [verdict, results.filter((one) => one.verdict === verdict).length]);
  return Object.fromEntries(found);
}

function worstOf(results: readonly CheckResult[]): MatrixColumn["clauses"] {
  const rank = (verdict: Verdict) => severity.indexOf(verdict);
  const worst = new Map<string, readonly [Verdict, string]>();
  for (const { requirements, verdict, check } of results) {
    for (const id of requirements) {
      const known = worst.get(id);
      if (!known || rank(verdict) < rank(known[0])) worst.set(id, [verdict, check]);
    }
  }
  return Object.fromEntries(worst);
}

/** The result in few enough words for a column. */
function standing(report: Report): MatrixColumn["standing"] {
  const [met, claimed] = [levelMet(report), levelClaimed(report)];
  if (!report.footer) return { verdict: "fail", words: "incomplete" };
  if (concerns(report).length > 0) return { verdict: "fail", words: "unsound" };
  if (report.header?.mode === "grade") return { verdict: "na", words: "graded" };
  if (report.header?.only) return { verdict: "na", words: "a part" };
  if (!claimed) return { verdict: "na", words: "claims no level" };
  if (met === claimed) return { verdict: "pass", words: `${met} met` };
  return { verdict: "warn", words: `${met ?? "none"} of ${claimed} met` };
}

const shownParts = new Set("expected actual at called call missing changed findings stderr".split(" "));
const maxPart = 900;

/** The calls and the files of a report are left out: the command shows them again. */
function shortened({ evidence = {}, ...result }: CheckResult): CheckResult {
  const parts = Object.entries(evidence).filter(([name]) => shownParts.has(name));
  if (parts.length === 0) return result;
  return { ...result, evidence: Object.fromEntries(parts.map(([name, value]) => [name, short(value)])) };
}

function short(value: unknown): unknown {
  if (value === undefined || JSON.stringify(value).length <= maxPart) return value;
  if (Array.isArray(value) && value.every(isRecord)) return [short(value[0]), `… ${value.length - 1} more`];
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `${text.slice(0, maxPart)}…`;
}
