import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Revision } from "@troupe/protocol";
import { type AgentProblem, type LintFinding, lintAgentDefinition } from "@troupe/protocol/agent";
import { type Answer, type Call, exits } from "../command.ts";
import { type Block, counted } from "../paint.ts";
import { definitionsFrom, filesAt, shown } from "./definitions.ts";

type Found = LintFinding & { readonly file: string };

export async function run(call: Call<{ paths: readonly string[] }, { revision?: Revision }>): Promise<Answer> {
  const { revision = "2026-02" } = call.options;
  const files =
    call.args.paths.length > 0
      ? call.args.paths.flatMap((path) => filesAt(resolve(call.cwd, path))).map((file) => ({ file, ...textOf(file) }))
      : definitionsFrom(call, revision);
  const findings = files.flatMap(({ file, text, problems }) => {
    const found = text === undefined ? problems.map(unreadable) : lintAgentDefinition({ path: file, text, revision });
    return found.map((finding): Found => ({ file: shown(call.cwd, file), ...finding }));
  });
  const having = (severity: string) => findings.filter((one) => one.severity === severity).length;
  const counts = { files: files.length, errors: having("error"), warnings: having("warning"), notes: having("note") };
  return {
    document: { revision, ...counts, findings },
    text: [
      ...findings.flatMap(findingText),
      [
        counted(counts.files, "file"),
        counted(counts.errors, "error"),
        counted(counts.warnings, "warning"),
        counted(counts.notes, "note"),
      ].join(", "),
    ],
    exit: counts.errors > 0 ? exits.failed : exits.done,
  };
}

const textOf = (file: string) => ({ text: readFileSync(file, "utf8"), problems: [] });

const unreadable = ({ path, message, fix }: AgentProblem): LintFinding => ({
  rule: "V-AG-01",
  severity: "error",
  path,
  message,
  fix,
  line: 1,
  column: 1,
});

const styles = { error: "red", warning: "yellow", note: "dim" } as const;

/** A finding as compilers tell it. */
export const findingText = ({ file, line, column, severity, rule, message, fix }: Found): Block[] => [
  [`${file}:${line}:${column}: `, { text: severity, style: styles[severity] }, ` ${rule}: ${message}`],
  `  to mend it: ${fix}`,
];
