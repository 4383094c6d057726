import { type Revision, TroupeError } from "@troupe/protocol";
import { type AgentProblem, type LintFinding, lintAgentDefinition } from "@troupe/protocol/agent";
import { type Answer, type Call, exits } from "../command.ts";
import { counted, type Printed } from "../paint.ts";
import { shown } from "./definitions.ts";
import { filesToLint, type LintFile } from "./lint-files.ts";
import { fixableIn, fixFile } from "./lint-fix.ts";
import { type LintReport, type LocatedFinding, lintText } from "./lint-text.ts";

interface Options {
  readonly revision?: Revision;
  readonly format?: "text" | "github" | "sarif";
  readonly "max-warnings"?: string;
  readonly fix?: boolean;
}

export async function run(call: Call<{ paths: readonly string[] }, Options>): Promise<Answer> {
  const { revision = "2026-11", format = "text", fix = false } = call.options;
  const most = mostWarnings(call.options["max-warnings"]);
  const { files, passedOver } = filesToLint(call.args.paths, call);
  const each: JudgedFile[] = [];
  for (const one of files) each.push(await judgedFile(one, revision, fix));
  const judged = judgedFiles(each);
  const report: LintReport = {
    revision,
    ...judged,
    fixed: judged.fixed.map((one) => ({ ...one, file: shown(call.cwd, one.file) })),
    findings: judged.findings.map((one) => ({ ...one, file: shown(call.cwd, one.file) })),
    passedOver: passedOver.map(({ file, role }) => ({ file: shown(call.cwd, file), role })),
  };
  const isTooMany = report.warnings > most;
  return {
    document: report,
    text: await textIn(format, report, call),
    ...(report.files === 0 && { remark: "there is no definition to check: name files, or a directory with .md files" }),
    ...(isTooMany && { remark: `${counted(report.warnings, "warning")}, more than --max-warnings ${most} allows` }),
    exit: report.errors > 0 || isTooMany ? exits.failed : exits.done,
  };
}

interface JudgedFile {
  readonly findings: readonly LocatedFinding[];
  readonly fixed: LintReport["fixed"];
  readonly fixable: number;
}

async function judgedFile(one: LintFile, revision: Revision, isFixing: boolean): Promise<JudgedFile> {
  const { file, text, problems, role } = one;
  const found = (findings: readonly LintFinding[]) => findings.map((finding) => ({ file, ...finding }));
  if (text === undefined) return { findings: found(problems.map(unreadable)), fixed: [], fixable: 0 };
  const fixed = isFixing ? await fixFile(file, text, revision) : { text, fixes: [] };
  const findings = lintAgentDefinition({ path: file, text: fixed.text, revision });
  return {
    findings: found(role === undefined ? findings : [unusual(role), ...findings]),
    fixed: fixed.fixes.map((fix) => ({ file, ...fix })),
    fixable: fixableIn(file, fixed.text, revision),
  };
}

function judgedFiles(files: readonly JudgedFile[]) {
  const findings = files.flatMap((one) => one.findings);
  const having = (severity: string) => findings.filter((one) => one.severity === severity).length;
  return {
    files: files.length,
    errors: having("error"),
    warnings: having("warning"),
    notes: having("note"),
    fixable: files.reduce((sum, one) => sum + one.fixable, 0),
    findings,
    fixed: files.flatMap((one) => one.fixed),
  };
}

function mostWarnings(text: string | undefined): number {
  if (text === undefined) return Infinity;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TroupeError("arguments_invalid", `--max-warnings needs a whole number from 0, not ${JSON.stringify(text)}`);
}

const top = { rule: "V-AG-01", path: "", line: 1, column: 1 } as const;

const unreadable = ({ message, fix }: AgentProblem): LintFinding => ({ ...top, severity: "error", message, fix });

const unusual = (role: string): LintFinding => ({
  ...top,
  severity: "note",
  message: `the file looks like ${role}; it was checked as a definition because it was named`,
  fix: "name the directory of the definitions instead",
});

async function textIn(format: Options["format"], judged: LintReport, { version }: Call): Promise<readonly Printed[]> {
  if (format === "text") return lintText(judged);
  const { githubAnnotations, lintSarif } = await import("./lint-formats.ts");
  return [{ verbatim: format === "github" ? githubAnnotations(judged) : lintSarif(judged, version) }];
}
