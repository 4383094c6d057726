import type { FoundTaskList, FoundTeam } from "../reader/root.ts";
import type { Revision } from "../requirement.ts";

/** One thing that is wrong, with its place. */
export interface Violation {
  /** Below the root. */
  readonly path: string;
  /** A JSON pointer into the document; empty for the whole. */
  readonly at: string;
  readonly message: string;
}

/** The teams and task lists of one revision in a directory. */
export interface Subject {
  readonly root: string;
  readonly revision: Revision;
  readonly teams: readonly FoundTeam[];
  readonly taskLists: readonly FoundTaskList[];
}

/**
 * One judgement of what a program left. It lists each thing it judges, so that nothing to judge
 * differs from nothing wrong.
 */
export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly string[];
  /** One list for each thing that was judged, empty for what is right. */
  judge(subject: Subject): readonly (readonly Violation[])[];
}

type Fields = Readonly<Record<string, unknown>>;

/** A document or a part of one, with where it stands. */
export interface Part {
  readonly path: string;
  readonly at: string;
  readonly value: unknown;
  readonly fields: Fields;
}

export const violation = ({ path, at }: Pick<Part, "path" | "at">, message: string): Violation => ({
  path,
  at,
  message,
});

/** A rule about every part of one kind: the judge returns what is wrong with it, or undefined. */
export const about =
  (partsOf: (subject: Subject) => readonly Part[], fault: (part: Part, subject: Subject) => string | undefined) =>
  (subject: Subject): readonly (readonly Violation[])[] =>
    partsOf(subject).map((part) => {
      const message = fault(part, subject);
      return message === undefined ? [] : [violation(part, message)];
    });

/** The faults of a part's fields, by name. */
export const keyFault = (
  fields: Fields,
  wanted: readonly string[],
  unwanted: readonly string[] = [],
): string | undefined => {
  const missing = wanted.filter((key) => !Object.hasOwn(fields, key));
  const surplus = unwanted.filter((key) => Object.hasOwn(fields, key));
  if (missing.length + surplus.length === 0) return undefined;
  return [missing.length > 0 && `lacks ${missing.join(", ")}`, surplus.length > 0 && `has ${surplus.join(", ")}`]
    .filter(Boolean)
    .join(" and ");
};

/** Undefined where these keys stand in this order, whatever stands between them. */
export const orderFault = (fields: Fields, order: readonly string[]): string | undefined => {
  const found = Object.keys(fields).filter((key) => order.includes(key));
  const expected = order.filter((key) => found.includes(key));
  return found.join() === expected.join() ? undefined : `has the order ${found.join(", ")}, not ${expected.join(", ")}`;
};
