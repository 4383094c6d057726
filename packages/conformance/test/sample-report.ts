import { type Level, loadRequirements } from "../src/requirement.ts";
import type { CheckResult, ReportFooter, ReportHeader, ReportLine } from "../src/result.ts";
import { footerOf } from "../src/run/summary.ts";
import type { Declaration } from "../src/target.ts";

const set = loadRequirements("2026-02");

export const declaration: Declaration = {
  name: "Acme Teams",
  version: "1.4.0",
  language: "Rust",
  homepage: "https://example.com/acme-teams",
  revisions: ["2026-02"],
  levels: ["L0", "L1", "L2"],
  methods: [],
  features: {},
  quirks: {},
};

export const header = (said: Partial<ReportHeader> = {}): ReportHeader => ({
  kind: "header",
  format: 1,
  suite: { name: "@troupe/conformance", version: "0.1.0" },
  mode: "run",
  form: "quick",
  revision: "2026-02",
  requirements: { sha256: set.sha256, count: set.rows.length },
  seed: 4711,
  startedAt: "2026-03-01T09:30:00.000Z",
  host: { platform: "linux", node: "v24.1.0", cpus: 2 },
  slowness: 1.4,
  network: "none",
  unfit: [],
  target: { kind: "adapter", label: "acme-teams adapter" },
  declaration,
  ...said,
});

export const check = (said: Partial<CheckResult> = {}): CheckResult => ({
  kind: "check",
  check: "TSK-ID/a",
  title: "ids of tasks count from 1 as text",
  requirements: ["ATP-TSK-001"],
  obligation: "MUST",
  level: "L1",
  verdict: "pass",
  ms: 12,
  seed: 99,
  ...said,
});

export const footer = (results: readonly CheckResult[], claimed: readonly Level[] = declaration.levels): ReportFooter =>
  footerOf({ results, set, claimed, stale: [], ms: 12_345 });

/** A whole report of these checks. */
export const report = (results: readonly CheckResult[], said: Partial<ReportHeader> = {}): readonly ReportLine[] => [
  header(said),
  ...results,
  footer(results, said.declaration?.levels),
];

/** One check of each verdict. */
export const mixed: readonly CheckResult[] = [
  check(),
  check({
    check: "TSK-DEP-03/a",
    title: "a new edge is written on both sides",
    requirements: ["ATP-TSK-031"],
    verdict: "fail",
    message: "tasks/t/1.json /blocks: / is [], expected 1 elements",
    evidence: { at: "tasks/t/1.json /blocks", expected: { has: ["2"] }, actual: [] },
  }),
  check({
    check: "TSK-TIME/a",
    title: "one layout of documents",
    requirements: ["ATP-FS-107"],
    obligation: "SHOULD",
    verdict: "warn",
    message: "the text ends with a line break",
  }),
  check({ check: "MEM-PANE/a", title: "panes", requirements: ["ATP-MEM-017"], verdict: "na", message: "not declared" }),
  check({
    check: "LCK-STALE/a",
    title: "a lock left behind is recovered",
    requirements: ["ATP-LCK-006"],
    level: "L2",
    verdict: "untestable",
    message: "no command for task.claim",
  }),
  check({
    check: "INB-RACE/a",
    title: "eight senders lose nothing",
    requirements: ["ATP-INB-007"],
    level: "L2",
    verdict: "error",
    message: "the search is undecided",
    evidence: { stack: "Error: the search is undecided\n    at search" },
  }),
];

/**
 * A report in which every word that comes from a target, or from a stranger's report, is this one.
 */
export function reportSaying(word: string): readonly ReportLine[] {
  const call = { proc: 0, op: word, args: { [word]: word }, call: 1, ret: 2, outcome: "fail", reply: word };
  const evidence = {
    at: word,
    expected: { [word]: word, same: 1 },
    actual: { [word]: `${word}!`, same: 1 },
    called: { method: word, params: { [word]: word } },
    history: [call, { ...call, proc: 1, outcome: "info", ret: undefined }],
    disk: { [word]: word },
    changed: [{ path: word, before: word, after: `${word}!` }],
    stderr: word,
    [word]: word,
  };
  const found = {
    ...evidence,
    findings: [
      { at: word, message: word },
      { path: word, at: `/${word}`, message: word },
    ],
  };
  const says = { check: word, title: word, requirements: ["ATP-TSK-001", word], message: word };
  const results = [
    check({ ...says, verdict: "fail", evidence }),
    check({ ...says, verdict: "fail", evidence: found, isExpected: true }),
    check({ ...says, verdict: "warn", evidence, obligation: "SHOULD" }),
    check({ ...says, verdict: "error", evidence: { stack: word } }),
    check({ ...says, verdict: "untestable" }),
    check({ ...says, verdict: "na" }),
    check({ ...says, evidence }),
  ];
  const said = { name: word, version: word, language: word, homepage: word, issues: word };
  const target = { kind: "adapter", label: word } as const;
  const [first, ...rest] = report(results, { declaration: { ...declaration, ...said }, target, unfit: [word] });
  return [first as ReportHeader, ...rest];
}

/** Thousands of checks, a tenth of them failed with a history. */
export function longReport(count: number): readonly ReportLine[] {
  const history = Array.from({ length: 80 }, (_, index) => ({
    proc: index % 8,
    op: "inbox.append",
    args: { text: `message ${index}` },
    call: index * 3,
    ret: index * 3 + 20,
    outcome: "ok",
  }));
  const results = Array.from({ length: count }, (_, index) =>
    check({
      check: `LONG-${index}/a`,
      ...(index % 10 === 0 && { verdict: "fail", message: "lost", evidence: { expected: 80, actual: 79, history } }),
    }),
  );
  return report(results);
}
