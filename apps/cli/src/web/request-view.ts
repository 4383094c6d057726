import { isObject } from "@troupe/protocol";
import type { DiffLine, RequestView } from "@troupe/web";
import { fieldOf } from "../screen/call-lines.ts";
import { changesBetween } from "../screen/diff.ts";
import type { Shown } from "../steer/requests.ts";

/** The fields of a call that its diff shows. */
const changing: Readonly<Record<string, readonly string[]>> = {
  Edit: ["old_string", "new_string"],
  Write: ["content"],
};

/** What a call of a tool would change, if it is one of those that say so. */
export function diffIn(tool: string, input: unknown): readonly DiffLine[] | null {
  if (tool === "Edit") return changesBetween(fieldOf(input, "old_string") ?? "", fieldOf(input, "new_string") ?? "");
  return tool === "Write" ? changesBetween("", fieldOf(input, "content") ?? "") : null;
}

/** A request with all that a person must see before they answer it. */
export function requestView(team: string, one: Shown): RequestView {
  const { id, from, at, kind } = one;
  const common = { team, id, kind, from, at, fields: [], diff: null, tool: null, reason: null };
  if (one.kind === "plan") {
    const { text: plan = null, path = null, digest = null } = one;
    return { ...common, plan, path, digest, canAnswer: plan !== null };
  }
  const { tool, reason, request } = one;
  const input = isObject(request?.input) ? request.input : {};
  const hidden = Object.hasOwn(changing, tool) ? (changing[tool] ?? []) : [];
  const fields = Object.entries(input)
    .filter(([name]) => !hidden.includes(name))
    .map(([name, value]) => ({ name, text: typeof value === "string" ? value : JSON.stringify(value) }));
  const asked = { tool, reason, fields, diff: diffIn(tool, input) };
  return { ...common, ...asked, plan: null, path: null, digest: null, canAnswer: request !== undefined };
}
