import type { Evidence } from "../fault.ts";
import { isRecord } from "../record.ts";
import type { CheckResult } from "../result.ts";
import { plainLine, shown, shownShort } from "./plain.ts";

/** One place where a clause is missed. */
export interface ReportedViolation {
  readonly message: string;
  /** The path below the root, with `/`; absent if no single document is concerned. */
  readonly path?: string;
  /** A JSON pointer into the document. */
  readonly pointer?: string;
  readonly line?: number;
}

/**
 * Every place a result tells of: the list `findings` of its evidence, each with a `message`, a
 * `path` and a pointer in `at`, or else the one place in the `at` of the evidence, which is the
 * path of a document, with a space and a JSON pointer where it is about a part.
 */
export function violationsOf({ evidence = {}, message, title }: CheckResult): readonly ReportedViolation[] {
  const { findings } = evidence as { findings?: unknown };
  const several = Array.isArray(findings) ? findings.filter(isRecord) : [];
  const fallback = message ?? title;
  return (several.length > 0 ? several : [evidence]).map((one) => violationOf(one, fallback));
}

function violationOf(
  { path: own, at, message, line }: Readonly<Record<string, unknown>>,
  fallback: string,
): ReportedViolation {
  const place = typeof at === "string" ? at : "";
  const [path, pointer] = typeof own === "string" ? [own, place] : parted(place);
  return {
    message: plainLine(typeof message === "string" ? message : fallback),
    ...(path && { path }),
    ...(pointer && { pointer }),
    ...(Number.isSafeInteger(line) && Number(line) > 0 && { line: Number(line) }),
  };
}

function parted(place: string): readonly [string, string] {
  const [, path, pointer] = /^(.*?)(?: (\/.*))?$/s.exec(place) ?? [];
  return [path ?? "", pointer ?? ""];
}

/** A step of a data case that asks only for what a document has asks for just that. */
export function askedOf({ expected }: Evidence): unknown {
  return isRecord(expected) && Object.keys(expected).join() === "has" ? expected["has"] : expected;
}

/** The call that went wrong, on one line. */
export function callOf({ called, call = called }: Evidence): string | undefined {
  return isRecord(call) ? `${shown(call["method"])} ${shownShort(call["params"], 600)}` : undefined;
}
