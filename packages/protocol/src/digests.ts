import { createHash } from "node:crypto";

/** The `planDigest` of an approval. */
export const planDigest = (planContent: string): string => sha256(planContent);

/** The `approved_request.input_digest` of a permission answer. */
export const inputDigest = (toolName: string, input: unknown): string =>
  sha256(`${toolName}\0${JSON.stringify(sorted(input))}`);

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Sorts the keys of every object; integer-like keys come first, as in every JavaScript object. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
