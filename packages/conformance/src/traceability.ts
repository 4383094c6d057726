import type { Check } from "./check.ts";
import type { Requirement, RequirementSet } from "./requirement.ts";

/** A clause with what asks about it, and what proves that the question can be answered with no. */
export interface Trace {
  readonly requirement: Requirement;
  readonly checks: readonly string[];
  readonly mutants: readonly string[];
}

/** Every clause of the sets once, in order. */
export function traceability(checks: readonly Check[], sets: readonly RequirementSet[]): readonly Trace[] {
  const rows = new Map(sets.flatMap(({ rows }) => rows).map((row) => [row.id, row]));
  return [...rows.values()].map((requirement) => {
    const asking = checks.filter(({ requirements }) => requirements.includes(requirement.id));
    const mutants = new Set(asking.flatMap(({ killedBy = [] }) => killedBy));
    return { requirement, checks: asking.map(({ id }) => id), mutants: [...mutants].sort() };
  });
}
