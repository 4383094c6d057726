import { codecFor, type Form, inputDigest, type MessageBody } from "@troupe/protocol";
import type { Message, Participant } from "@troupe/store";
import type { Ask, Badge, Question, Reply } from "../permissions/ask.ts";
import type { Dealt } from "./mailbox.ts";

export interface PermissionDeskDeps {
  readonly self: Pick<Participant, "send">;
  /** That of the team. */
  readonly form: Form;
  /** Undefined for whoever is no member. */
  readonly badgeOf: (name: string) => Promise<Badge | undefined>;
  /** Whoever decides for the lead: the person at its screen, or where there is none a program. */
  readonly ask: Ask;
  readonly newId: () => string;
  /** Fires when the lead ends; what waits then is not answered. */
  readonly signal: AbortSignal;
  /** An answer that did not reach its member. */
  readonly onUnsent: (error: unknown) => void;
}

export interface PermissionDesk {
  /**
   * Takes the permission requests of members and answers each once, whenever it is decided. What a stranger asks, or what cannot be read, has
   * no address to answer to and is left to whoever reads the inbox.
   */
  reader(message: Message): Promise<Dealt>;
}

type Request = Extract<MessageBody, { readonly type: "permission_request" }>;

/** Where a lead decides about what its teammates ask by message. Nobody but this writes the answers. */
export function permissionDesk(deps: PermissionDeskDeps): PermissionDesk {
  const { self, form, badgeOf, ask, newId, signal, onUnsent } = deps;
  const asked = new Map<string, Promise<void>>();
  const answered = new Set<string>();

  return {
    async reader({ entry }) {
      const read = codecFor(form).readBody(entry.text);
      if (read.kind !== "message" || read.body.type !== "permission_request") return false;
      const badge = await badgeOf(entry.from);
      if (!badge) return false;
      const key = JSON.stringify([badge.name, read.body.request_id]);
      if (answered.has(key)) return true;
      const served = () => void (signal.aborted || answered.add(key));
      const later = asked.get(key) ?? serve(read.body, badge).catch(onUnsent).then(served);
      asked.set(key, later);
      return { later };
    },
  };

  async function serve(request: Request, badge: Badge): Promise<void> {
    const reply = await decide(request, badge);
    if (!signal.aborted) await self.send(badge.name, { body: answerOf(request, reply) });
  }

  async function decide(request: Request, from: Badge): Promise<Reply> {
    const { agent_id: name = from.name } = request;
    if (name !== from.name) return denied(`${from.name} cannot ask for ${JSON.stringify(name)}`);
    try {
      return await ask(questionOf(request, from), signal);
    } catch (error) {
      return denied(`nobody could be asked: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Under an id of its own, since that of a request is whatever a member makes it. */
  function questionOf(request: Request, from: Badge): Question {
    const { request_id, tool_use_id = request_id, tool_name: tool, input, description } = request;
    const reason = description ?? `${from.name} wants to use ${tool}`;
    return {
      id: newId(),
      call: tool_use_id,
      tool,
      input,
      reason,
      suggestions: request.permission_suggestions ?? [],
      from,
    };
  }
}

const denied = (message: string): Reply => ({ behavior: "deny", message });

function answerOf({ request_id, tool_use_id, tool_name, input }: Request, reply: Reply) {
  const looked = { tool_name, input_digest: inputDigest(tool_name, input) };
  const answer = {
    type: "permission_response" as const,
    request_id,
    ...(tool_use_id !== undefined && { tool_use_id, approved_request: { tool_use_id, ...looked } }),
  };
  if (reply.behavior === "deny") return { ...answer, subtype: "error" as const, error: reply.message };
  const updated_input = (reply.updatedInput ?? input) as Record<string, unknown>;
  return {
    ...answer,
    subtype: "success" as const,
    response: { updated_input, permission_updates: [...(reply.updates ?? [])] },
  };
}
