import type { Problem } from "../problems.ts";

/** A position in a file; both numbers count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A problem of a definition, with its place where there is a text to point at. */
export interface AgentProblem extends Problem {
  readonly line?: number;
  readonly column?: number;
}
