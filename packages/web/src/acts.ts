import { isObject } from "@troupe/protocol";
import type { ActView } from "./views.ts";

const statuses = ["pending", "in_progress", "completed"] as const;

/** What a person wants done, if a body says so wholly; everything else is refused. */
export function actIn(kind: string, body: unknown): ActView | undefined {
  if (!isObject(body)) return undefined;
  const text = (name: string) => (typeof body[name] === "string" ? body[name] : undefined);
  if (kind === "answer") {
    const [request, note = ""] = [text("request"), text("note")];
    const of = (["permission", "plan"] as const).find((one) => one === body["of"]);
    const decision = (["allowed", "denied"] as const).find((one) => one === body["decision"]);
    return request && of && decision ? { kind, request, of, decision, note } : undefined;
  }
  if (kind === "send") {
    const [to, words] = [body["to"] === null ? null : text("to"), text("text")];
    return to !== undefined && words ? { kind, to, text: words } : undefined;
  }
  if (kind !== "task") return undefined;
  const id = body["id"] === null ? null : text("id");
  const subject = text("subject");
  const status = statuses.find((one) => one === body["status"]);
  const owner = body["owner"] === null ? null : text("owner");
  if (id === undefined || (id === null && !subject)) return undefined;
  const isSound = ["subject", "status", "owner"].every((name) => {
    const value = { subject, status, owner }[name];
    return !Object.hasOwn(body, name) || value !== undefined;
  });
  if (!isSound) return undefined;
  return {
    kind,
    id,
    ...(subject !== undefined && { subject }),
    ...(status !== undefined && { status }),
    ...(owner !== undefined && { owner }),
  };
}
