import { type Command, defineCommand } from "../command.ts";

const exits = {
  0: "every selected clause is kept, or its failure is in the baseline",
  1: "a clause is not kept, or the baseline lists a failure that did not happen",
  2: "the suite itself failed, this machine cannot run it, or the command line is wrong",
  3: "no check was run",
} as const;
const revision = {
  value: "REVISION",
  summary: "2026-02 or 2026-11 (default: every revision the target declares)",
  choices: ["2026-02", "2026-11"],
} as const;
const out = {
  value: "DIR",
  summary:
    "write report.ndjson, junit.xml, report.tap, badge.json and report.html to this directory, one set per revision",
  completes: "directory",
} as const;

/** The commands that judge whether an implementation keeps the protocol. */
export const conformanceCommands: readonly Command[] = [
  defineCommand({
    name: "conformance run",
    summary: "test an implementation in any language against the protocol",
    details:
      "The target is a command that speaks the adapter protocol on standard input and output, or a target.yaml that maps operations to commands. It runs with an empty home directory and, where this machine can do that, without network access.",
    args: [],
    options: {
      target: {
        value: "COMMAND",
        summary: "a command that speaks the adapter protocol, a target.yaml, or self for Troupe",
      },
      revision,
      full: { summary: "run all rounds and the slow checks too; up to 15 minutes" },
      seed: { value: "N", summary: "repeat the random choices of an earlier run" },
      only: { value: "ID", summary: "only checks or clauses with this prefix", isRepeated: true },
      baseline: {
        value: "FILE",
        summary: "known failures: a YAML list of check and reason",
        completes: "file",
      },
      network: { summary: "allow the target network access" },
      out,
    },
    examples: [
      ['troupe conformance run --target "python3 adapter.py"', "everything the target declares, in both revisions"],
      [
        "troupe conformance run --target target.yaml --revision 2026-02 --out reports",
        "with reports for people and for CI",
      ],
      ["troupe conformance run --target self --only ATP-TSK", "the task clauses, against Troupe itself"],
    ],
    exits,
    load: () => import("./run.ts"),
  }),
  defineCommand({
    name: "conformance grade",
    summary: "check the files that a real run has left in a directory, offline",
    args: [{ name: "dir", summary: "the directory that holds teams/ and tasks/", completes: "directory" }],
    options: { revision, out },
    examples: [["troupe conformance grade ~/.claude", "which clauses these files break, and where"]],
    exits,
    load: () => import("./grade.ts"),
  }),
  defineCommand({
    name: "conformance report",
    summary: "convert the report.ndjson of a run to another format",
    args: [
      { name: "file", summary: "a report.ndjson", completes: "file" },
      {
        name: "out",
        summary: "the file to write: .html, .xml (JUnit), .tap, .sarif or .json (badge)",
        isOptional: true,
        completes: "file",
      },
    ],
    options: {},
    examples: [
      ["troupe conformance report report.ndjson", "a summary of what failed"],
      ["troupe conformance report report.ndjson report.html", "a self-contained page"],
    ],
    load: () => import("./report.ts"),
  }),
  defineCommand({
    name: "conformance matrix",
    summary: "one page that compares the reports of several implementations",
    args: [
      { name: "out", summary: "the page to write", completes: "file" },
      { name: "files", summary: "the report.ndjson of each", isRest: true, completes: "file" },
    ],
    options: {},
    examples: [
      [
        "troupe conformance matrix matrix.html python/report.ndjson perl/report.ndjson",
        "which implementation keeps which clause",
      ],
    ],
    load: () => import("./matrix.ts"),
  }),
  defineCommand({
    name: "conformance adapter",
    summary: "run Troupe itself as a target, on standard input and output",
    args: [],
    options: {},
    examples: [["troupe conformance adapter", "reads one JSON-RPC request per line"]],
    isLive: true,
    load: () => import("./serve.ts"),
  }),
];
