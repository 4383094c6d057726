import { createHash } from "node:crypto";
import { isRecord } from "../record.ts";

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** The digest by which an answer of 2026-11 says which call it is about. */
export const digestOf = (tool: string, input: unknown): string =>
  createHash("sha256")
    .update(`${tool}\0${JSON.stringify(sorted(input))}`)
    .digest("hex");
