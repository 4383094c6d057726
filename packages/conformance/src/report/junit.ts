import type { CheckResult, ReportLine } from "../result.ts";
import { shown } from "./plain.ts";
import { byLevel, gather, type Report } from "./report.ts";
import { again, concerns, conclusion, protocolName, subject } from "./wording.ts";
import { escaped } from "./xml.ts";

/** JUnit XML: a test suite for each level, and one for what is wrong with the run itself. */
export function junit(lines: Iterable<ReportLine>): string {
  const report = gather(lines);
  const suites = byLevel(report.results).map(([level, results]) =>
    suite(
      report,
      level,
      results.map((result) => caseOf(report, result)),
    ),
  );
  const wrong = concerns(report).map((concern) => ({
    ms: 0,
    xml: testCase("run", concern, 0, element("error", { message: concern, type: "run" }, "")),
    outcome: "errors" as const,
  }));
  const all = [...suites, ...(wrong.length > 0 ? [suite(report, "run", wrong)] : [])];
  const name = `${protocolName(report)}: ${subject(report)}`;
  const body = all.map(({ xml }) => xml).join("\n");
  const attributes = { name, ...totals(all.flatMap(({ cases }) => cases)) };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", attributes, `\n${body}\n`)}\n`;
}

type Outcome = "passed" | "failures" | "errors" | "skipped";

interface Case {
  readonly ms: number;
  readonly outcome: Outcome;
  readonly xml: string;
}

function suite(report: Report, name: string, cases: readonly Case[]) {
  const { header } = report;
  const properties = [
    ["target", subject(report)],
    ["conclusion", conclusion(report)],
    ["suite", `${header?.suite.name} ${header?.suite.version}`],
    ["revision", header?.revision],
    ["requirements", header?.requirements.sha256],
    ["seed", header?.seed],
  ].map(([key, value]) => element("property", { name: key, value }, ""));
  const body = [...(header ? [element("properties", {}, properties.join(""))] : []), ...cases.map(({ xml }) => xml)];
  const attributes = { name, timestamp: header?.startedAt, ...totals(cases) };
  return { cases, xml: element("testsuite", attributes, `\n${body.join("\n")}\n`) };
}

function totals(cases: readonly Case[]) {
  const count = (wanted: Outcome) => cases.filter(({ outcome }) => outcome === wanted).length;
  return {
    tests: cases.length,
    failures: count("failures"),
    errors: count("errors"),
    skipped: count("skipped"),
    time: seconds(cases.reduce((sum, { ms }) => sum + ms, 0)),
  };
}

/**
 * The exit code judges a run: expected failures and untestable clauses are skipped here, and a
 * missed SHOULD is a message.
 */
function caseOf(report: Report, result: CheckResult): Case {
  const { verdict, message = verdict, isExpected, obligation, check, title, level, ms } = result;
  const skip = (type: string) => ({ outcome: "skipped" as const, inner: element("skipped", { message, type }, "") });
  const tell = (name: string) => element(name, { message, type: obligation }, escaped(proofOf(report, result)));
  const byVerdict = {
    pass: () => ({ outcome: "passed" as const, inner: "" }),
    warn: () => ({ outcome: "passed" as const, inner: element("system-out", {}, escaped(proofOf(report, result))) }),
    fail: () => ({ outcome: "failures" as const, inner: tell("failure") }),
    error: () => ({ outcome: "errors" as const, inner: tell("error") }),
    na: () => skip("not applicable"),
    untestable: () => skip("untestable"),
  };
  const { outcome, inner } = isExpected ? skip("known failure, in the baseline") : byVerdict[verdict]();
  return { ms, outcome, xml: testCase(level, `${check}: ${title}`, ms, inner) };
}

function proofOf(report: Report, result: CheckResult): string {
  const { expected, actual, at, findings } = result.evidence ?? {};
  const parts = Object.entries({ at, expected, actual, findings, again: again(report, result) });
  return [
    `${result.verdict}: ${result.message ?? result.title}`,
    ...result.requirements.map((id) => `${id} (${result.obligation}) ${report.clauses.get(id)?.text ?? ""}`),
    ...parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${shown(value)}`])),
  ].join("\n");
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3);

const testCase = (group: string, name: string, ms: number, inner: string): string =>
  element("testcase", { classname: `conformance.${group}`, name, time: seconds(ms) }, inner);

/**
 * Escapes attributes, including line breaks, which a parser would turn into spaces; `inner` is XML
 * already.
 */
function element(name: string, attributes: Readonly<Record<string, unknown>>, inner: string): string {
  const said = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escaped(String(value)).replace(/\n/g, "&#10;").replace(/\t/g, "&#9;")}"`)
    .join("");
  return inner === "" ? `<${name}${said}/>` : `<${name}${said}>${inner}</${name}>`;
}
