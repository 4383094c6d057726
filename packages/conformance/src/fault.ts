/** The data that proves a verdict. */
export interface Evidence {
  readonly expected?: unknown;
  readonly actual?: unknown;
  /** Which step of a data case, or which document. */
  readonly at?: string;
  readonly stderr?: string;
  readonly [name: string]: unknown;
}

type FaultKind = "CheckFailure" | "TargetFault" | "Untestable";

/** Thrown to end a check against the target; any other error is the suite's own. */
export interface Fault extends Error {
  readonly name: FaultKind;
  readonly evidence: Evidence;
}

const faultOf = (name: FaultKind, message: string, evidence: Evidence): Fault =>
  Object.assign(new Error(message), { name, evidence });

/** The target did other than the clause says. */
export const checkFailure = (message: string, evidence: Evidence = {}): Fault =>
  faultOf("CheckFailure", message, evidence);

/** The target crashed, hung, or spoke garbage. */
export const targetFault = (message: string, evidence: Evidence = {}): Fault =>
  faultOf("TargetFault", message, evidence);

/** The clause binds, and the suite has no way to find out: shown, and never green. */
export const untestable = (message: string, evidence: Evidence = {}): Fault => faultOf("Untestable", message, evidence);

export const isFault = (error: unknown): error is Fault =>
  error instanceof Error && ["CheckFailure", "TargetFault", "Untestable"].includes(error.name) && "evidence" in error;
