import { isRecord } from "../../record.ts";
import { plainLine } from "../plain.ts";

/** A call as a report holds it, in milliseconds since the first one. */
export interface ShownCall {
  /** Undefined for what the suite itself looked at. */
  readonly proc: number | undefined;
  readonly op: string;
  readonly args: unknown;
  readonly outcome: "ok" | "fail" | "info";
  readonly reply: unknown;
  /** Absent where the report has no times. */
  readonly call: number | undefined;
  readonly ret: number | undefined;
  /** The check says that from here on nothing explains the answers. */
  readonly isSuspect: boolean;
}

export const procName = ({ proc }: ShownCall): string => (proc === undefined ? "suite" : `p${proc}`);

export const outcomes = {
  ok: "succeeded",
  fail: "refused",
  info: "cut off by a kill: may have happened or not",
} as const;

/** Reads the calls in evidence; anything else is skipped. */
export function historyOf({ history, calls, next }: Readonly<Record<string, unknown>>): readonly ShownCall[] {
  const found = [history, calls].find((list) => Array.isArray(list) && list.length > 0);
  const rows = callsIn(found);
  const suspects = callsIn(next).filter(({ call }) => Number.isFinite(call));
  const origin = rows.reduce(
    (least, { call }) => (Number.isFinite(call) ? Math.min(least, Number(call)) : least),
    Infinity,
  );
  const since = (time: unknown) => (Number.isFinite(time) ? Number(time) - origin : undefined);
  return rows.map(({ proc, op, args, reply, outcome, call, ret }) => ({
    proc: Number.isSafeInteger(proc) ? Number(proc) : undefined,
    op: plainLine(op),
    args,
    outcome: outcome === "ok" || outcome === "fail" ? outcome : "info",
    reply,
    call: since(call),
    ret: since(ret),
    isSuspect: suspects.some((one) => one["call"] === call && one["proc"] === proc),
  }));
}

type Call = Readonly<Record<string, unknown>> & { readonly op: string };

const callsIn = (list: unknown): readonly Call[] => (Array.isArray(list) ? list.filter(isCall) : []);

const isCall = (value: unknown): value is Call => isRecord(value) && typeof value["op"] === "string";

/** When it began and how long it took; nothing where the report has no times. */
export function timesOf({ call, ret }: ShownCall): string {
  if (call === undefined) return "";
  return `at ${duration(call)}, ${ret === undefined ? "never returned" : `took ${duration(ret - call)}`}`;
}

export const duration = (ms: number): string =>
  ms >= 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
