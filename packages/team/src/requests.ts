import {
  codecFor,
  type Member as Entry,
  isObject,
  isUnread,
  leadOf,
  type MessageDraft,
  nameKey,
  type PermissionMode,
  planDigest,
} from "@troupe/protocol";
import { planAnswerBody } from "@troupe/protocol/tools";
import type { Message, Participant, RecordedEvent, Team } from "@troupe/store";
import { momentOf } from "./doing.ts";
import { eventIn } from "./events.ts";
import { answerKey, isOwnAnswer } from "./handshakes/handshake.ts";
import { type PermissionRequest, permissionAnswer } from "./handshakes/permission.ts";
import { exchangeOf } from "./ledger/fold.ts";
import { noteContent } from "./mailbox.ts";
import type { Reply } from "./person.ts";

/** A request to the lead that nobody has answered, as it is seen from another process. */
export type OpenRequest = {
  readonly id: string;
  /** The member that asks. */
  readonly from: string;
  /** ISO 8601. */
  readonly at: string;
  /** The message that asks, where it is still in the lead's inbox. */
  readonly message: Message | undefined;
  /** The asker records what it hears. */
  readonly isRecorded: boolean;
} & (
  | {
      readonly kind: "permission";
      readonly tool: string;
      readonly reason: string;
      /** Undefined where it is too long to be looked at from here; it cannot be answered then. */
      readonly request: PermissionRequest | undefined;
    }
  | {
      readonly kind: "plan";
      /** Undefined where the lead has taken the message; the file at the path may still hold it. */
      readonly plan: string | undefined;
      readonly path: string | undefined;
      readonly digest: string | undefined;
    }
);

type Kind = OpenRequest["kind"];
type Looked = Pick<Team, "config" | "history" | "mail" | "form">;

/** The requests of teammates that wait for an answer of their lead, the oldest first. */
export async function openRequests(team: Looked): Promise<readonly OpenRequest[]> {
  const { value } = await team.config();
  if (!value) return [];
  const lead = leadOf(value)?.name ?? "";
  const { open, settled } = await recordedRequests(team, value.members);
  const found = new Map<string, OpenRequest>(open);
  for (const message of (await team.mail(lead).page()).value ?? []) {
    const asker = value.members.find(({ name }) => name === message.entry.from && name !== lead);
    const asked = asker && requestIn(team, message);
    if (!asked) continue;
    const key = exchangeOf(asked.from, asked.id);
    if (open.has(key)) found.set(key, { ...asked, isRecorded: true });
    else if (isUnread(message.entry) && !settled.has(key)) found.set(key, asked);
  }
  return [...found.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Answers a request in the lead's name; `isFirst` is false where it was answered before. */
export async function answerRequest(
  { self, now }: { readonly self: Pick<Participant, "send">; readonly now: () => Date },
  request: OpenRequest,
  reply: Reply,
): Promise<{ readonly isFirst: boolean }> {
  const at = now().toISOString();
  const stamp = { at, id: crypto.randomUUID() };
  const { kind, id, from } = request;
  const body = bodyOf(request, reply, at);
  const isFirst = isOwnAnswer(await self.send(from, { body }, stamp, { once: answerKey(kind, id) }), stamp, body);
  const note = reply.behavior === "allow" ? (reply.note ?? "") : "";
  if (isFirst && note !== "") await self.send(from, noteContent(note));
  return { isFirst };
}

function bodyOf(request: OpenRequest, reply: Reply, timestamp: string): MessageDraft {
  if (request.kind === "permission") {
    if (request.request) return permissionAnswer(request.request, reply);
    throw new Error("a request that cannot be read is not answered");
  }
  const approve = reply.behavior === "allow";
  const permissionMode: PermissionMode = (approve && reply.mode) || "default";
  const answer = { requestId: request.id, approve, feedback: approve ? "" : reply.message };
  return planAnswerBody(answer, { timestamp, permissionMode, planDigest: request.digest });
}

/** Those that members have recorded since they joined; of plans only the last of a member waits. */
async function recordedRequests(team: Looked, members: readonly Entry[]) {
  const joined = new Map(members.map(({ name, joinedAt }) => [name, momentOf(joinedAt)]));
  const open = new Map<string, OpenRequest>();
  const settled = new Set<string>();
  for await (const recorded of team.history()) {
    const event = eventIn(recorded);
    const from = joined.get(recorded.by);
    if (from === undefined || recorded.at < from || (event?.kind !== "permission" && event?.kind !== "plan")) continue;
    const key = exchangeOf(recorded.by, event.id);
    if (event.phase !== "asked") {
      open.delete(key);
      settled.add(key);
      continue;
    }
    for (const [other, one] of open)
      if (event.kind === "plan" && one.kind === "plan" && one.from === recorded.by) open.delete(other);
    open.set(key, recordedRequest(event.kind, event.id, recorded));
  }
  return { open, settled };
}

function recordedRequest(kind: Kind, id: string, { by: from, at, event }: RecordedEvent): OpenRequest {
  const field = (name: string) => (event as Readonly<Record<string, unknown>>)[name];
  const text = (name: string) => (typeof field(name) === "string" ? (field(name) as string) : undefined);
  const common = { id, from, at, message: undefined, isRecorded: true };
  if (kind === "plan") return { ...common, kind, plan: undefined, path: text("path"), digest: text("digest") };
  const [tool = "", reason = "", call, input] = [text("tool"), text("reason"), text("call"), field("input")];
  const request = isObject(input)
    ? {
        type: "permission_request" as const,
        request_id: id,
        agent_id: from,
        tool_name: tool,
        tool_use_id: call ?? id,
        description: reason,
        input,
      }
    : undefined;
  return { ...common, kind, tool, reason, request: request as PermissionRequest | undefined };
}

/** The request that a message is, if it is one that its sender makes for itself. */
function requestIn({ form }: Looked, message: Message): OpenRequest | undefined {
  const { from, timestamp: at, text } = message.entry;
  const read = codecFor(form).readBody(text);
  if (read.kind !== "message") return undefined;
  const { body } = read;
  const common = { from, at, message, isRecorded: false };
  if (body.type === "permission_request" && (body.agent_id ?? from) === from) {
    const { request_id: id, tool_name: tool, description: reason = "" } = body;
    return { ...common, id, kind: "permission", tool, reason, request: body };
  }
  if (body.type !== "plan_approval_request" || nameKey(body.from ?? from) !== nameKey(from)) return undefined;
  const { requestId: id, planContent: plan, planFilePath: path } = body;
  return { ...common, id, kind: "plan", plan, path, digest: plan === undefined ? undefined : planDigest(plan) };
}
