import { type Command, defineCommand } from "../command.ts";

const exits = {
  0: "every clause that was asked about is kept, or its failure is in the baseline",
  1: "a clause is not kept, or the baseline knows of a failure that is none",
  2: "the suite itself failed, or this machine is unfit; also where it was asked in a wrong way",
  3: "nothing was executed",
} as const;
const revision = {
  value: "REVISION",
  summary: "2026-02 or 2026-11 (default: all that the target declares)",
  choices: ["2026-02", "2026-11"],
} as const;
const out = {
  value: "DIR",
  summary: "write report.ndjson, junit.xml, report.tap, badge.json and report.html there, a set for each revision",
  completes: "directory",
} as const;

/** Does an implementation keep the protocol? */
export const conformanceCommands: readonly Command[] = [
  defineCommand({
    name: "conformance run",
    summary: "put an implementation, in whatever language, to the test",
    details:
      "The target is a command that speaks the adapter protocol on its standard input and output, or a target.yaml that maps operations to its own commands. It runs in an empty home and, where this machine allows, without a network.",
    args: [],
    options: {
      target: {
        value: "COMMAND",
        summary: "a command that speaks the adapter protocol, a target.yaml, or self for Troupe",
      },
      revision,
      full: { summary: "all rounds and the slow checks too, up to a quarter of an hour" },
      seed: { value: "N", summary: "begin where an earlier run began" },
      only: { value: "ID", summary: "only the checks or clauses that begin so", isRepeated: true },
      baseline: {
        value: "FILE",
        summary: "failures that are known: a YAML list of check and reason",
        completes: "file",
      },
      network: { summary: "leave the network to the target" },
      out,
    },
    examples: [
      ['troupe conformance run --target "python3 adapter.py"', "everything it declares, in both revisions"],
      [
        "troupe conformance run --target target.yaml --revision 2026-02 --out reports",
        "with reports for people and for CI",
      ],
      ["troupe conformance run --target self --only ATP-TSK", "what Troupe itself does about tasks"],
    ],
    exits,
    load: () => import("./run.ts"),
  }),
  defineCommand({
    name: "conformance grade",
    summary: "judge a directory that a real run has left, offline",
    args: [{ name: "dir", summary: "the directory that holds teams/ and tasks/", completes: "directory" }],
    options: { revision, out },
    examples: [["troupe conformance grade ~/.claude", "which clauses the files there break, and where"]],
    exits,
    load: () => import("./grade.ts"),
  }),
  defineCommand({
    name: "conformance report",
    summary: "a report in another form, from the report.ndjson of a run",
    args: [
      { name: "file", summary: "a report.ndjson", completes: "file" },
      {
        name: "out",
        summary: "where to write: .html, .xml (JUnit), .tap, .sarif or .json (badge)",
        isOptional: true,
        completes: "file",
      },
    ],
    options: {},
    examples: [
      ["troupe conformance report report.ndjson", "what failed, in words"],
      ["troupe conformance report report.ndjson report.html", "as a page that needs nothing else"],
    ],
    load: () => import("./report.ts"),
  }),
  defineCommand({
    name: "conformance matrix",
    summary: "one page over the reports of several implementations",
    args: [
      { name: "out", summary: "the page to write", completes: "file" },
      { name: "files", summary: "report.ndjson of each", isRest: true, completes: "file" },
    ],
    options: {},
    examples: [["troupe conformance matrix matrix.html python/report.ndjson perl/report.ndjson", "who keeps what"]],
    load: () => import("./matrix.ts"),
  }),
  defineCommand({
    name: "conformance adapter",
    summary: "Troupe itself as a target, on standard input and output",
    args: [],
    options: {},
    examples: [["troupe conformance adapter", "then one JSON-RPC request a line, as the suite sends them"]],
    isLive: true,
    load: () => import("./serve.ts"),
  }),
];
