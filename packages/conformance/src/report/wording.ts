import type { Verdict } from "../check.ts";
import type { Level } from "../requirement.ts";
import type { CheckResult, ReportHeader } from "../result.ts";
import { plainLine } from "./plain.ts";
import { clausesWith, levelClaimed, levelMet, type Report } from "./report.ts";

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

export const protocolName = ({ header }: Report): string => `agent-team protocol${header ? ` ${header.revision}` : ""}`;

/** The name and version of the target by its own account, or else how it was reached. */
export function subject({ header }: Report): string {
  if (!header) return "an unknown target";
  const { declaration, target } = header;
  return plainLine(declaration ? `${declaration.name} ${declaration.version}` : target.label);
}

/** The result in one sentence. */
export function conclusion(report: Report): string {
  const { header, footer } = report;
  if (!header) return "Nothing was reported.";
  if (!footer) return "Incomplete: the run ended before its time, so no level can be judged.";
  if (header.unfit.length > 0) return "Not judged: the file system of this machine is unfit.";
  if (footer.executed === 0 && footer.unexpected.length === 0) return "Nothing was checked.";
  if (header.mode === "grade") return gradeConclusion(report);
  if (header.only && header.declaration) return partConclusion(report);
  const [claimed, met] = [levelClaimed(report), levelMet(report)];
  if (!claimed) return header.declaration ? "It claims no level." : "It did not get as far as saying what it is.";
  const { missedMusts = [], missedShoulds = [] } = footer.levels[claimed] ?? {};
  const shoulds = missedShoulds.length === 0 ? "" : `; ${missed(missedShoulds.length, "SHOULD")}`;
  if (met === claimed) return `Meets ${met}${shoulds}.`;
  return `Claims ${claimed}, meets ${met ?? "no level"}: ${shortfall(report, missedMusts)}.`;
}

/** A partial run meets no level, whatever it found. */
const partConclusion = ({ results }: Report): string =>
  `Only a part was checked, so no level is judged; ${missedIn(results) || "no clause of it is missed"}.`;

/** Only what failed is missed; about what is untestable, or lost to an error, nothing is known. */
function shortfall({ results }: Report, missedMusts: readonly string[]): string {
  const failed = new Set(results.filter(({ verdict }) => verdict === "fail").flatMap((one) => one.requirements));
  const musts = missedMusts.filter((id) => failed.has(id)).length;
  const open = missedMusts.length - musts;
  const said = [
    ...(musts > 0 ? [missed(musts, "MUST")] : []),
    ...(open > 0 ? [`${counted(open, "MUST clause")} undecided`] : []),
  ];
  return said.join(", ") || "too little was checked";
}

const missed = (count: number, word: string): string =>
  `${counted(count, `${word} clause`)} ${count === 1 ? "is" : "are"} missed`;

const maxNamed = 3;

/**
 * Says why a claimed level is not met; a check of a higher level can miss a clause of a lower one.
 */
export function reasonAgainst({ header, footer, clauses }: Report, level: Level): string | undefined {
  const summary = footer?.levels[level];
  if (!summary || summary.isMet || header?.only) return undefined;
  const own = summary.missedMusts.filter((id) => clauses.get(id)?.level === level);
  const rest = own.length > maxNamed ? ` and ${own.length - maxNamed} more` : "";
  if (own.length > 0) return `not shown to keep ${own.slice(0, maxNamed).join(", ")}${rest}`;
  return summary.missedMusts.length > 0 ? "a lower level is not met" : "too little was checked";
}

const gradeConclusion = ({ results }: Report): string =>
  `${missedIn(results) || "No clause that was checked is missed"}.`;

function missedIn(results: readonly CheckResult[]): string {
  const [musts, shoulds] = [clausesWith(results, "fail"), clausesWith(results, "warn")];
  return [musts > 0 ? missed(musts, "MUST") : [], shoulds > 0 ? missed(shoulds, "SHOULD") : []].flat().join(", ");
}

/** Why the verdicts of a report say less than they seem to; empty for a sound run. */
export function concerns({ header, footer, results, sha256 }: Report): readonly string[] {
  if (!header) return ["The report has no header: what was judged, and by what, is not known."];
  const found: string[] = [];
  if (!footer) {
    const count = counted(results.length, "check");
    found.push(
      `This report is incomplete: it ends after ${count} without a footer. What else would fail is not known.`,
    );
  }
  if (header.unfit.length > 0) {
    found.push(
      `The file system is unfit, so nothing is the target's fault: ${header.unfit.map(plainLine).join("; ")}.`,
    );
  }
  if (footer?.executed === 0) found.push("No check was executed: nothing was learnt about the target.");
  if (footer && footer.stale.length > 0) {
    const stale = footer.stale.map(plainLine).join(", ");
    found.push(`The baseline is stale; remove what no longer fails or exists: ${stale}.`);
  }
  if (sha256 !== undefined && sha256 !== header.requirements.sha256) {
    const [judged, known] = [header.requirements.sha256, sha256].map((hash) => plainLine(hash).slice(0, 12));
    found.push(`It was judged by another wording of the clauses (${judged}…) than the one shown here (${known}…).`);
  }
  return found;
}

/** The options that repeat a result. */
export function again({ header }: Report, { check }: CheckResult): string | undefined {
  if (!header || header.mode === "grade") return undefined;
  const form = header.form === "full" ? " --full" : "";
  return `--revision ${plainLine(header.revision)} --seed ${header.seed}${form} --only ${plainLine(check)}`;
}

/** Results that deserve a look, worst first. */
export interface Section {
  readonly key: Exclude<Verdict, "pass" | "na"> | "known";
  readonly title: string;
  readonly note?: string;
  readonly results: readonly CheckResult[];
}

const sections: readonly Omit<Section, "results">[] = [
  { key: "fail", title: "Failed", note: "A MUST is missed." },
  { key: "error", title: "Errors of the suite", note: "They count neither for nor against the target." },
  { key: "warn", title: "Warnings", note: "A SHOULD is missed." },
  {
    key: "untestable",
    title: "Untestable",
    note: "Claimed, but out of the suite's reach: neither passed nor failed.",
  },
  { key: "known", title: "Known failures", note: "The baseline names them." },
];

/** Only those that hold something. */
export const sectionsOf = ({ results }: Report): readonly Section[] =>
  sections
    .map((section) => ({ ...section, results: results.filter((one) => sectionOf(one) === section.key) }))
    .filter((section) => section.results.length > 0);

const sectionOf = ({ verdict, isExpected }: CheckResult): string => (isExpected ? "known" : verdict);

/** Names the target, how it was run, and what it was tested against. */
export function facts(header: ReportHeader): readonly (readonly [string, string])[] {
  const { declaration, target, suite, requirements, host } = header;
  const slow = header.slowness > 1 ? `, limits × ${header.slowness.toFixed(1)}` : "";
  const network = header.network === "none" ? "no network" : "network not cut off";
  const rows: (readonly [string, string | undefined])[] = [
    ["Target", `${target.label} (${target.kind})`],
    ["Language", declaration?.language],
    ["Claims", declaration && (declaration.levels.join(", ") || "no level")],
    ["Revision", header.revision],
    ["Judged by", `${requirements.count} clauses, sha256 ${requirements.sha256.slice(0, 12)}…`],
    ["Suite", `${suite.name} ${suite.version}, ${header.mode === "grade" ? "grade" : `${header.form} form`}`],
    ["Only", header.only?.join(", ")],
    ["Seed", header.mode === "grade" ? undefined : String(header.seed)],
    ["Date", header.startedAt],
    ["Machine", `${host.platform}, Node ${host.node}, ${counted(host.cpus, "CPU")}, ${network}${slow}`],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, plainLine(value)] as const]));
}
