import type { Problem } from "../problems.ts";

/** Where something stands in a file; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A problem of a definition, with its place where there is a text to point at. */
export interface AgentProblem extends Problem {
  readonly line?: number;
  readonly column?: number;
}
