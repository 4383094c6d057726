import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  badge,
  html,
  junit,
  type ReportFooter,
  type ReportLine,
  type Revision,
  sarif,
  tap,
  text,
} from "@troupe/conformance";
import type { Answer } from "../command.ts";

/** The results for one revision. */
export interface RevisionReport {
  readonly revision: Revision;
  readonly lines: readonly ReportLine[];
}

const rowOf = (line: ReportLine): string => `${JSON.stringify(line)}\n`;

const forms = {
  "report.ndjson": (lines: readonly ReportLine[]) => lines.map(rowOf).join(""),
  "junit.xml": junit,
  "report.tap": tap,
  "report.sarif": sarif,
  "badge.json": badge,
  "report.html": html,
} as const;

/** The report format for a file name; undefined for an unknown extension. */
export const formOf = (file: string): ((lines: readonly ReportLine[]) => string) | undefined =>
  Object.entries(forms).find(([name]) => file.endsWith(name.slice(name.lastIndexOf("."))))?.[1];

const footerOf = ({ lines }: RevisionReport): ReportFooter | undefined =>
  lines.find((line): line is ReportFooter => line.kind === "footer");

/** Writes a report line by line, so that an interrupted run keeps its results so far. */
export function openReport(out: string, revision: Revision): (line: ReportLine) => void {
  const folder = join(out, revision);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "report.ndjson");
  writeFileSync(file, "");
  return (line) => appendFileSync(file, rowOf(line));
}

/** Writes the requested reports and returns a summary; the worst revision decides the exit code. */
export function answerOf(judged: readonly RevisionReport[], out: string | undefined): Answer {
  if (out !== undefined) {
    for (const { revision, lines } of judged) {
      const folder = join(out, revision);
      mkdirSync(folder, { recursive: true });
      for (const [name, render] of Object.entries(forms)) writeFileSync(join(folder, name), render(lines));
    }
  }
  const runs = judged.map((one) => ({ revision: one.revision, footer: footerOf(one) ?? null }));
  const codes = runs.map(({ footer }) => footer?.exitCode ?? 2);
  return {
    document: { runs },
    text: judged.flatMap(({ lines }) => text(lines, { width: 100, hasColor: false }).trimEnd().split("\n")),
    exit: codes.find((code) => code === 1) ?? codes.find((code) => code === 2) ?? codes.find((code) => code === 3) ?? 0,
    ...(out !== undefined && { remark: `written to ${out}` }),
  };
}
