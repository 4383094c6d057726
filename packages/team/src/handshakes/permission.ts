import { inputDigest, type MessageBody, makePermissionId, messageOf } from "@troupe/protocol";
import type { Message } from "@troupe/store";
import type { LeadWatch } from "../lead.ts";
import { decisionOf, exchangeOf } from "../ledger/fold.ts";
import { type Ask, type CallQuestion, denied, type Reply, takenBack } from "../person.ts";
import { lateAnswer } from "../words.ts";
import { askUntilSettled, bodyOf, type HandshakeDeps, heard, rosterEntry, type Taken, unsettled } from "./handshake.ts";

export interface PermissionHandshakeDeps extends HandshakeDeps {
  readonly leadWatch: LeadWatch;
}

/**
 * A teammate asks its lead by message whether a call may run; the lead's member decides, and nobody
 * but this writes the answers.
 */
export interface PermissionHandshake {
  /** Asks the lead. A lead that is gone by then denies it. */
  readonly ask: Ask;
  /**
   * Asks at the screen of a lead in the same process. The lead can answer by message too, as it
   * does from another terminal: the first answer counts.
   */
  bridged(screen: Ask): Ask;
  take(message: Message): Promise<Taken | undefined>;
  /**
   * The member's own answer to a request that it heard; undefined where none waits under that id.
   */
  answer(to: string, id: string, reply: Reply): Promise<true | undefined>;
  /** What an earlier process asked is given up, since its calls are judged anew. */
  resume(): void;
}

/** A permission request as a message. */
export type PermissionRequest = Extract<MessageBody, { readonly type: "permission_request" }>;
type Request = PermissionRequest;
type Answer = Extract<MessageBody, { readonly type: "permission_response" }>;

const handshake = "permission";

export function permissionHandshake(deps: PermissionHandshakeDeps): PermissionHandshake {
  const { team, self, lead, leadWatch, ledger, answers, signal, now, newId } = deps;
  const isLead = self.name === lead;
  /** Own requests that wait. */
  const waiting = new Map<string, { readonly question: CallQuestion; readonly settle: (reply: Reply) => void }>();
  const givenUp = new Map<string, CallQuestion>();

  return {
    ask,
    bridged,
    answer,
    resume,
    take: async (message) => (isLead ? takeRequest(message) : takeAnswer(message)),
  };

  async function ask(question: CallQuestion, over: AbortSignal): Promise<Reply> {
    if (over.aborted) return takenBack;
    const id = makePermissionId(now().getTime(), newId().slice(0, 7));
    const waited = new AbortController();
    const either = AbortSignal.any([over, waited.signal]);
    ledger().append({ kind: "asked", handshake, id, to: lead, about: shortOf(question) });
    const reply = new Promise<Reply>((settle) => {
      waiting.set(id, { question, settle });
      over.addEventListener("abort", () => settle(takenBack), { once: true, signal: waited.signal });
    });
    const lost = leadWatch.gone(either).then(denied, () => reply);
    try {
      // The answer can be there before the store has said that the request is.
      await self.send(lead, { body: requestOf(id, self.name, question) });
      return await Promise.race([reply, lost]);
    } finally {
      waited.abort();
      giveUp(id);
    }
  }

  function bridged(screen: Ask): Ask {
    return async (question, over) => {
      if (over.aborted) return takenBack;
      const id = makePermissionId(now().getTime(), newId().slice(0, 7));
      const answered = new AbortController();
      ledger().append({ kind: "asked", handshake, id, to: lead, about: wholeOf(question) });
      const reply = new Promise<Reply>((settle, fail) => {
        waiting.set(id, { question, settle });
        const shown = screen(question, AbortSignal.any([over, answered.signal]));
        void shown.then((one) => {
          if (!waiting.has(id) || over.aborted) return settle(one);
          waiting.delete(id);
          const result = one.behavior === "allow" ? "allowed" : "denied";
          ledger().append({ kind: "settled", outcome: { handshake, id, result } });
          settle(one);
        }, fail);
      });
      try {
        return await reply;
      } finally {
        answered.abort();
        giveUp(id);
      }
    };
  }

  function giveUp(id: string): void {
    const open = waiting.get(id);
    if (!open) return;
    waiting.delete(id);
    givenUp.set(id, open.question);
    try {
      ledger().append({ kind: "settled", outcome: { handshake, id, result: "given_up" } });
    } catch {
      // What a closed journal does not take, the next process writes when it resumes.
    }
  }

  function resume(): void {
    for (const id of unsettled(ledger().state(), handshake))
      if (!waiting.has(id)) ledger().append({ kind: "settled", outcome: { handshake, id, result: "given_up" } });
  }

  /** Only what the lead says counts, and only of what was asked. */
  function takeAnswer(message: Message): Taken | undefined {
    const body = bodyOf(deps, message, "permission_response");
    if (!body || message.entry.from !== lead) return undefined;
    const id = body.request_id;
    const asked = ledger().state().asked.get(id);
    if (asked?.handshake !== handshake) return "done";
    const open = waiting.get(id);
    const reply = replyOf(body, open?.question);
    const result = reply.behavior === "allow" ? "allowed" : "denied";
    if (open) {
      ledger().append({ kind: "settled", outcome: { handshake, id, result } });
      waiting.delete(id);
      open.settle(reply);
    }
    if (open || asked.outcome?.result !== "given_up" || asked.isLate) return "done";
    const question = givenUp.get(id);
    const what = question ? `whether ${question.tool} may run (${question.call})` : `the permission request ${id}`;
    const came = lateAnswer(what, reply.behavior === "allow" ? "it was allowed" : `it was denied: ${reply.message}`);
    return { ...heard(message, [], { settles: { handshake, id, result, why: "late" } }), texts: [came] };
  }

  /** What a stranger asks has no address to answer to, and is a message like any other. */
  async function takeRequest(message: Message): Promise<Taken | undefined> {
    const body = bodyOf(deps, message, "permission_request");
    const from = body && (await rosterEntry(team, message.entry.from));
    if (!body || !from) return undefined;
    const { name, color } = from;
    const decision = decisionOf(ledger().state(), name, body.request_id);
    const key = exchangeOf(name, body.request_id);
    if (decision?.isSent || ledger().state().open.has(key)) return "done";
    if (decision || answers.isServing(key)) return "waits";
    if ((body.agent_id ?? name) !== name)
      return answers.serve(
        key,
        name,
        decide(name, body, denied(`${name} cannot ask for ${JSON.stringify(body.agent_id)}`)),
      );
    const question = { kind: handshake, ...questionOf(body, { name, color }) } as const;
    const asked = askUntilSettled(deps, question, { handshake, from: name, id: body.request_id });
    if (!asked) return heard(message, [], { opens: { handshake, id: body.request_id, request: body } });
    const reply = asked.catch((error: unknown) => denied(`nobody could be asked: ${messageOf(error)}`));
    return answers.serve(
      key,
      name,
      reply.then((one) => (signal.aborted ? undefined : decide(name, body, one))),
    );
  }

  async function decide(to: string, request: Request, reply: Reply): Promise<void> {
    const result = reply.behavior === "allow" ? "allowed" : "denied";
    await answers.give(
      { handshake, id: request.request_id, to, result },
      () => permissionAnswer(request, reply),
      noteIn(reply),
    );
  }

  async function answer(to: string, id: string, reply: Reply): Promise<true | undefined> {
    const open = ledger().state().open.get(exchangeOf(to, id));
    if (open?.handshake !== handshake) return undefined;
    await decide(open.from, open.request as Request, reply);
    return true;
  }

  /** Under an id of its own, since that of a request is whatever a member makes it. */
  function questionOf(request: Request, from: { name: string; color?: string | undefined }): CallQuestion {
    const { request_id, tool_use_id: call = request_id, tool_name: tool, input, description } = request;
    const reason = description ?? `${from.name} wants to use ${tool}`;
    return { id: newId(), call, tool, input, reason, suggestions: request.permission_suggestions ?? [], from };
  }
}

const noteIn = (reply: Reply): string | undefined => (reply.behavior === "allow" ? reply.note : undefined);

const requestOf = (id: string, name: string, { call, tool, input, reason, suggestions }: CallQuestion) => ({
  type: "permission_request" as const,
  request_id: id,
  agent_id: name,
  tool_name: tool,
  tool_use_id: call,
  description: descriptionIn(input) ?? reason,
  input: input as Record<string, unknown>,
  permission_suggestions: [...suggestions],
});

/** What the history says of a request whose message says the rest. */
const shortOf = ({ tool, reason }: CallQuestion) => ({ tool, reason });

/** Nobody reads a longer input in a history: who is at the lead's screen sees it. */
const mostInput = 64 * 1024;

/** What the history says of a request of which there is no message. */
function wholeOf({ tool, call, reason, input }: CallQuestion) {
  const isLong = JSON.stringify(input ?? null).length > mostInput;
  return { tool, call, reason, ...(isLong ? {} : { input }) };
}

/** The call's own `description` field, which Bash has. */
function descriptionIn(input: unknown): string | undefined {
  const { description } = (input ?? {}) as { readonly description?: unknown };
  return typeof description === "string" && description !== "" ? description : undefined;
}

function replyOf(answer: Answer, question: CallQuestion | undefined): Reply {
  if (answer.subtype === "error") return denied(answer.error ?? "the lead refused it");
  const { approved_request: approved, response } = answer;
  if (question && approved && !describes(approved, question))
    return denied("the lead's answer did not describe this tool call");
  return { behavior: "allow", updatedInput: response.updated_input, updates: response.permission_updates ?? [] };
}

const describes = (
  approved: NonNullable<Extract<Answer, { readonly subtype: "success" }>["approved_request"]>,
  { call, tool, input }: CallQuestion,
): boolean =>
  approved.tool_use_id === call && approved.tool_name === tool && approved.input_digest === inputDigest(tool, input);

/** The body of the answer to a permission request. */
export function permissionAnswer({ request_id, tool_use_id, tool_name, input }: Request, reply: Reply) {
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
