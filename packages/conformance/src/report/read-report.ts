import { verdicts } from "../check.ts";
import { isRecord } from "../record.ts";
import { levels } from "../requirement.ts";
import type { ReportLine } from "../result.ts";

/**
 * Reads NDJSON. A torn last line, left by a killed run, is skipped; anything else that is wrong
 * throws.
 */
export function readReport(text: string): readonly ReportLine[] {
  const rows = text.split("\n");
  return rows.flatMap((row, index) => {
    if (row.trim() === "") return [];
    const line = parsed(row);
    if (isReportLine(line)) return [line];
    if (index === rows.length - 1 && line === undefined) return [];
    throw new Error(`line ${index + 1} is not a line of a conformance report`);
  });
}

function parsed(row: string): unknown {
  try {
    return JSON.parse(row);
  } catch {
    return undefined;
  }
}

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const oneOf = (words: readonly unknown[]) => (value: unknown) => words.includes(value);
const maybe = (is: (value: unknown) => boolean) => (value: unknown) => value === undefined || is(value);
const record = (shape: Shape) => (value: unknown) => isRecord(value) && fits(value as object, shape);

/** Validates what a page relies on, since reports of strangers are rendered too. */
const shapes: Readonly<Record<string, Shape>> = {
  header: {
    format: oneOf([1]),
    suite: record({ name: isText, version: isText }),
    mode: oneOf(["run", "grade"]),
    form: isText,
    revision: isText,
    requirements: record({ sha256: isText, count: isNumber }),
    seed: isNumber,
    only: maybe(isTexts),
    startedAt: isText,
    host: record({ platform: isText, node: isText, cpus: isNumber }),
    slowness: isNumber,
    network: isText,
    unfit: isTexts,
    target: record({ kind: isText, label: isText }),
    declaration: maybe(
      record({
        name: isText,
        version: isText,
        language: maybe(isText),
        homepage: maybe(isText),
        issues: maybe(isText),
        levels: isTexts,
      }),
    ),
  },
  check: {
    check: isText,
    title: isText,
    requirements: isTexts,
    obligation: oneOf(["MUST", "SHOULD", "MAY"]),
    level: oneOf(levels),
    verdict: oneOf(verdicts),
    message: maybe(isText),
    evidence: maybe(isRecord),
    ms: isNumber,
    seed: isNumber,
  },
  footer: {
    counts: isRecord,
    executed: isNumber,
    levels: (value) =>
      isRecord(value) &&
      Object.values(value as object).every(
        record({ passed: isNumber, missedMusts: isTexts, missedShoulds: isTexts, unproved: isTexts }),
      ),
    unexpected: isTexts,
    stale: isTexts,
    ms: isNumber,
    exitCode: oneOf([0, 1, 2, 3]),
  },
};

const fits = (value: object, shape: Shape): boolean =>
  Object.entries(shape).every(([key, is]) => is((value as Record<string, unknown>)[key]));

function isReportLine(line: unknown): line is ReportLine {
  if (!isRecord(line)) return false;
  const { kind } = line as { kind?: unknown };
  return typeof kind === "string" && Object.hasOwn(shapes, kind) && fits(line as object, shapes[kind] ?? {});
}
