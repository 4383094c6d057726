import { TroupeError } from "../errors.ts";
import { assertGiven, shown } from "../given.ts";
import { capped, type Problem, problemsOf } from "../problems.ts";
import type { Revision } from "../revisions/revision.ts";
import { longList, salvage } from "../salvage.ts";
import { type IdleNotification, idleNotification, type ReadIdleNotification } from "./idle-notification.ts";
import type { MessageKind } from "./kind.ts";
import { type PermissionRequest, permissionRequest, type ReadPermissionRequest } from "./permission-request.ts";
import { type PermissionResponse, permissionResponse, type ReadPermissionResponse } from "./permission-response.ts";
import {
  type PlanApprovalRequest,
  planApprovalRequest,
  type ReadPlanApprovalRequest,
} from "./plan-approval-request.ts";
import {
  type PlanApprovalResponse,
  planApprovalResponse,
  type ReadPlanApprovalResponse,
} from "./plan-approval-response.ts";
import { type ReadShutdownApproved, type ShutdownApproved, shutdownApproved } from "./shutdown-approved.ts";
import { type ReadShutdownRejected, type ShutdownRejected, shutdownRejected } from "./shutdown-rejected.ts";
import { type ReadShutdownRequest, type ShutdownRequest, shutdownRequest } from "./shutdown-request.ts";
import { type ReadTaskAssignment, type TaskAssignment, taskAssignment } from "./task-assignment.ts";

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

/** A structured message as a writer must give it. */
export type MessageDraft =
  | TaskAssignment
  | IdleNotification
  | ShutdownRequest
  | ShutdownApproved
  | ShutdownRejected
  | PlanApprovalRequest
  | PlanApprovalResponse
  | PermissionRequest
  | PermissionResponse;

/** A structured message as a reader gets it: only what it cannot do without is sure to be there. */
export type MessageBody =
  | ReadTaskAssignment
  | ReadIdleNotification
  | ReadShutdownRequest
  | ReadShutdownApproved
  | ReadShutdownRejected
  | ReadPlanApprovalRequest
  | ReadPlanApprovalResponse
  | ReadPermissionRequest
  | ReadPermissionResponse;

/** The parsed text of an entry. */
export type ReadBody =
  /** An ordinary message: not JSON, or JSON without a type. */
  | { readonly kind: "text" }
  /** A structured message; problems say where it departs from the form of its revision. */
  | { readonly kind: "message"; readonly body: MessageBody; readonly problems: readonly Problem[] }
  /** A known type whose fields cannot be used. */
  | { readonly kind: "invalid"; readonly type: string; readonly problems: readonly Problem[] }
  /** A type of tomorrow, kept and surfaced. */
  | { readonly kind: "unknown"; readonly type: string; readonly body: Readonly<Record<string, unknown>> };

/**
 * Parses the text of an entry. Never throws; accepts the forms of other writers and both revisions.
 */
export function readBody(text: string, revision: Revision): ReadBody {
  const object = parseObject(text);
  if (!object || typeof object["type"] !== "string") return { kind: "text" };
  const { body: raw, problems } = withoutAliases(object);
  const type = raw["type"] as string;
  const kind = kindByType.get(type);
  if (!kind) return { kind: "unknown", type, body: raw };
  const tooLong = longList(raw);
  if (tooLong) return { kind: "invalid", type, problems: [...problems, tooLong] };
  const read = kind.published[revision].safeParse(raw);
  if (read.success) return { kind: "message", body: raw as MessageBody, problems };
  const found = capped([...problems, ...problemsOf(read.error, raw)]);
  const body = kind.isAllOrNothing ? (kind.view.safeParse(raw).success ? raw : undefined) : salvage(kind.view, raw);
  return body === undefined
    ? { kind: "invalid", type, problems: found }
    : { kind: "message", body: body as MessageBody, problems: found };
}

/** The text of an entry, with the fields that the revision writes, in its order. */
export function renderBody(body: MessageDraft, revision: Revision): string {
  assertGiven("a body", { body }, { body: "json" });
  const kind = kindByType.get(body.type);
  if (!kind) throw new TroupeError("document_invalid", `there is no message of type ${shown(body.type)}`, { body });
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
export const hasColor = (body: MessageDraft): boolean => kindByType.get(body.type)?.hasColor ?? false;

/** The id that joins a request to its answer, whichever way its kind spells it. */
export function requestIdOf(body: MessageBody): string | undefined {
  const idKey = kindByType.get(body.type)?.idKey;
  const id = idKey && body[idKey];
  return typeof id === "string" ? id : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (typeof text !== "string" || !/^\s*\{/.test(text)) return undefined;
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
