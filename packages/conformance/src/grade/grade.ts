import { type FoundTeam, readRoot } from "../reader/root.ts";
import { loadRequirements, type RequirementSet, type Revision, revisions } from "../requirement.ts";
import type { CheckResult, ReportLine } from "../result.ts";
import { hostOf } from "../run/run-suite.ts";
import { footerOf } from "../run/summary.ts";
import { documentRules } from "./document-rules.ts";
import { inboxRules } from "./inbox-rules.ts";
import type { Rule, Subject } from "./rule.ts";
import { schemaRules } from "./schema-rules.ts";
import { taskRules } from "./task-rules.ts";
import { teamRules } from "./team-rules.ts";

export interface GradeDeps {
  /** The directory that holds `teams/` and `tasks/`. */
  readonly root: string;
  readonly revision: Revision;
  readonly version: string;
  readonly now: () => Date;
}

export const gradeRules: readonly Rule[] = [
  ...documentRules,
  ...schemaRules,
  ...teamRules,
  ...inboxRules,
  ...taskRules,
];

/**
 * The revisions of the teams under a root, by their documents; forms in between count as the older.
 */
export function revisionsIn(root: string): readonly Revision[] {
  const found = readRoot(root).teams.map(judgedBy);
  return revisions.filter((revision) => found.includes(revision));
}

/** Judges what a program left in a directory, with no program running. */
export function* gradeDirectory({ root, revision, version, now }: GradeDeps): Generator<ReportLine> {
  const begin = performance.now();
  const set = loadRequirements(revision);
  yield {
    kind: "header",
    format: 1,
    suite: { name: "@troupe/conformance", version },
    mode: "grade",
    form: "full",
    revision,
    requirements: { sha256: set.sha256, count: set.rows.length },
    seed: 0,
    startedAt: now().toISOString(),
    host: hostOf(),
    slowness: 1,
    network: "none",
    unfit: [],
    target: { kind: "directory", label: root },
  };
  const subject = subjectOf(root, revision);
  const results = gradeRules.flatMap((rule) => resultOf(rule, subject, set) ?? []);
  yield* results;
  yield footerOf({ results, set, claimed: [], stale: [], ms: performance.now() - begin });
}

const judgedBy = ({ revision }: FoundTeam): Revision | undefined => (revision === "between" ? "2026-02" : revision);

/**
 * A team whose config does not tell its revision is judged by either, as is a list without a team.
 */
function subjectOf(root: string, revision: Revision): Subject {
  const { teams, taskLists } = readRoot(root);
  const others = new Set(
    teams.filter((team) => ![undefined, revision].includes(judgedBy(team))).map(({ name }) => name),
  );
  return {
    root,
    revision,
    teams: teams.filter(({ name }) => !others.has(name)),
    taskLists: taskLists.filter(({ name }) => !others.has(name)),
  };
}

function resultOf(rule: Rule, subject: Subject, set: RequirementSet): CheckResult | undefined {
  const binding = set.rows.filter(({ id }) => rule.requirements.includes(id));
  const [first] = binding;
  if (!first) return undefined;
  const judged = rule.judge(subject);
  const findings = judged.flat();
  const common = {
    kind: "check" as const,
    check: rule.id,
    title: rule.title,
    requirements: binding.map(({ id }) => id),
    obligation: first.obligation,
    level: "L0" as const,
    ms: 0,
    seed: 0,
  };
  if (judged.length === 0) return { ...common, verdict: "na", message: "there is nothing of the kind" };
  if (findings.length === 0) return { ...common, verdict: "pass" };
  const [{ path, at, message } = { path: "", at: "", message: "" }] = findings;
  const more = findings.length > 1 ? `, and ${findings.length - 1} more` : "";
  return {
    ...common,
    verdict: first.obligation === "MUST" ? "fail" : "warn",
    message: `${path}${at ? ` ${at}` : ""} ${message}${more}`,
    evidence: { findings },
  };
}
