import type { Check } from "./check.ts";
import type { Level, Requirement, RequirementSet, Revision } from "./requirement.ts";

/** A fault that a patch puts into a copy of Troupe. */
export interface Mutant {
  /** The name of its patch. */
  readonly id: string;
  /** The fault of the mutant, as in "writes in place". */
  readonly fault: string;
  /**
   * The checks that must notice it, by the clause it breaks. Empty if no method of levels 0 to 2
   * can show it; then it has no patch.
   */
  readonly kills: readonly {
    readonly check: string;
    readonly clause: string;
    readonly revisions: readonly Revision[];
  }[];
  /** The level at which it can be shown, where that is above 2. */
  readonly level?: Level;
}

/** A clause with what asks about it, and what proves that each question can be answered with no. */
export interface Trace {
  readonly requirement: Requirement;
  readonly checks: readonly { readonly id: string; readonly mutants: readonly string[] }[];
}

/** Every clause of the sets once, in order. */
export function traceability(
  checks: readonly Check[],
  sets: readonly RequirementSet[],
  mutants: readonly Mutant[] = [],
): readonly Trace[] {
  const rows = new Map(sets.flatMap(({ rows }) => rows).map((row) => [row.id, row]));
  return [...rows.values()].map((requirement) => {
    const asking = checks.filter(({ requirements }) => requirements.includes(requirement.id));
    return { requirement, checks: asking.map(({ id }) => ({ id, mutants: killersOf(id, mutants) })) };
  });
}

/** The mutants that a check has to notice. */
export const killersOf = (check: string, mutants: readonly Mutant[]): readonly string[] =>
  mutants.filter(({ kills }) => kills.some((kill) => kill.check === check)).map(({ id }) => id);
