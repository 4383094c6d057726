import { TroupeError } from "../errors.ts";
import { type Problem, problemsOf } from "../problems.ts";
import type { Revision } from "../revisions/revision.ts";
import { salvage } from "../salvage.ts";
import { type IdleNotification, idleNotification } from "./idle-notification.ts";
import type { MessageKind } from "./kind.ts";
import { type PermissionRequest, permissionRequest } from "./permission-request.ts";
import { type PermissionResponse, permissionResponse } from "./permission-response.ts";
import { type PlanApprovalRequest, planApprovalRequest } from "./plan-approval-request.ts";
import { type PlanApprovalResponse, planApprovalResponse } from "./plan-approval-response.ts";
import { type ShutdownApproved, shutdownApproved } from "./shutdown-approved.ts";
import { type ShutdownRejected, shutdownRejected } from "./shutdown-rejected.ts";
import { type ShutdownRequest, shutdownRequest } from "./shutdown-request.ts";
import { type TaskAssignment, taskAssignment } from "./task-assignment.ts";

/** Every structured message that stands in an inbox. */
export const messageKinds: readonly MessageKind[] = [
  taskAssignment,
  idleNotification,
  shutdownRequest,
  shutdownApproved,
  shutdownRejected,
  planApprovalRequest,
  planApprovalResponse,
  permissionRequest,
  permissionResponse,
];

const kindByType = new Map(messageKinds.map((kind) => [kind.type, kind]));

export type MessageBody =
  | TaskAssignment
  | IdleNotification
  | ShutdownRequest
  | ShutdownApproved
  | ShutdownRejected
  | PlanApprovalRequest
  | PlanApprovalResponse
  | PermissionRequest
  | PermissionResponse;

/** What an entry's text turned out to be. */
export type ReadBody =
  /** An ordinary message: not JSON, or JSON without a type. */
  | { readonly kind: "text" }
  /** A structured message; problems say where it departs from the form of its revision. */
  | { readonly kind: "message"; readonly body: MessageBody; readonly problems: readonly Problem[] }
  /** A known type whose fields cannot be used. */
  | { readonly kind: "invalid"; readonly type: string; readonly problems: readonly Problem[] }
  /** A type of tomorrow, kept and surfaced. */
  | { readonly kind: "unknown"; readonly type: string; readonly body: Readonly<Record<string, unknown>> };

/** Reads the text of an entry. Never throws; forms of other writers and of either revision are taken. */
export function readBody(text: string, revision: Revision): ReadBody {
  const found = parseObject(text);
  if (!found || typeof found["type"] !== "string") return { kind: "text" };
  const { body: raw, problems } = withoutAliases(found);
  const type = raw["type"] as string;
  const kind = kindByType.get(type);
  if (!kind) return { kind: "unknown", type, body: raw };
  const read = kind.published[revision].safeParse(raw);
  if (read.success) return { kind: "message", body: raw as MessageBody, problems };
  problems.push(...problemsOf(read.error, raw));
  const body = salvage(kind.body, raw);
  return body === undefined
    ? { kind: "invalid", type, problems }
    : { kind: "message", body: body as MessageBody, problems };
}

/** The text of an entry, with the fields that the revision writes, in its order. */
export function renderBody(body: MessageBody, revision: Revision): string {
  const kind = kindByType.get(body.type);
  if (!kind)
    throw new TroupeError("document_invalid", `there is no message of type ${JSON.stringify(body.type)}`, { body });
  const written = Object.fromEntries(
    kind.keys[revision].filter((key) => body[key] !== undefined).map((key) => [key, body[key]]),
  );
  const checked = kind.published[revision].safeParse(written);
  if (checked.success) return JSON.stringify(written);
  const problems = problemsOf(checked.error, written);
  const list = problems.map(({ message }) => message).join("; ");
  throw new TroupeError("document_invalid", `a ${body.type} of ${revision} cannot be written: ${list}`, { problems });
}

/** The envelope of this body carries its sender's colour. */
export const hasColor = (body: MessageBody): boolean => kindByType.get(body.type)?.hasColor ?? false;

/** The id that joins a request to its answer, whichever way its kind spells it. */
export function requestIdOf(body: MessageBody): string | undefined {
  const id = body["requestId"] ?? body["request_id"];
  return typeof id === "string" ? id : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Other writers' spellings, read as ours. */
function withoutAliases(found: Record<string, unknown>): { body: Record<string, unknown>; problems: Problem[] } {
  const problems: Problem[] = [];
  let body = found;
  const rename = (from: string, to: string) => {
    body = Object.fromEntries(Object.entries(body).map(([key, value]) => [key === from ? to : key, value]));
    problems.push({
      path: `/${from}`,
      code: "field_alias",
      message: `/${from} is read as /${to}`,
      fix: `call it ${to}`,
    });
  };
  const retype = (to: string) => {
    problems.push({
      path: "/type",
      code: "field_alias",
      message: `${body["type"]} is read as ${to}`,
      fix: `write ${to}`,
    });
    body = { ...body, type: to };
  };

  if (body["type"] === "idle") retype("idle_notification");
  if (body["type"] === "shutdown_response" && typeof body["approve"] === "boolean") {
    retype(body["approve"] ? "shutdown_approved" : "shutdown_rejected");
  }
  for (const [from, to] of Object.entries(kindByType.get(body["type"] as string)?.aliases ?? {})) {
    if (Object.hasOwn(body, from) && !Object.hasOwn(body, to)) rename(from, to);
  }
  return { body, problems };
}
