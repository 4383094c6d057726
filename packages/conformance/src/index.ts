export { adapterTarget } from "./adapter/adapter-target.ts";
export type { Check, CheckContext, Verdict } from "./check.ts";
export { allChecks } from "./checks/index.ts";
export { commandTarget } from "./command/command-target.ts";
export {
  linearise,
  type Model,
  type Operation,
  type SearchLimits,
  type SearchResult,
} from "./concurrency/linearise.ts";
export { counterModel, type InboxState, inboxModel, type TasksState, tasksModel } from "./concurrency/models.ts";
export { checkFailure, type Evidence, untestable } from "./fault.ts";
export { gradeDirectory, gradeRules, revisionsIn } from "./grade/grade.ts";
export { badge } from "./report/badge.ts";
export { html } from "./report/html.ts";
export { junit } from "./report/junit.ts";
export { matrix } from "./report/matrix.ts";
export { columnOf, type MatrixAbout, type MatrixColumn } from "./report/matrix-column.ts";
export { readReport } from "./report/read-report.ts";
export { sarif } from "./report/sarif.ts";
export { sarifLog, sarifUri } from "./report/sarif-log.ts";
export { tap } from "./report/tap.ts";
export { type TextOptions, text } from "./report/text.ts";
export {
  type Level,
  levels,
  loadRequirements,
  type Obligation,
  type Requirement,
  type RequirementSet,
  type Revision,
  revisions,
} from "./requirement.ts";
export type { CheckResult, LevelSummary, ReportFooter, ReportHeader, ReportLine } from "./result.ts";
export { type BaselineEntry, readBaseline } from "./run/baseline.ts";
export { type Isolation, openIsolation } from "./run/isolation.ts";
export { runSuite, type SuiteDeps } from "./run/run-suite.ts";
export type { CallRecord, Declaration, Proc, Reply, Target } from "./target.ts";
export { traceability } from "./traceability.ts";
