import { codecFor, type Form, inputDigest, type MessageBody, makePermissionId } from "@troupe/protocol";
import type { Message, Participant } from "@troupe/store";
import type { Ask, Question, Reply } from "../permissions/ask.ts";
import { createQuestions, type QuestionsDeps } from "../permissions/questions.ts";

export interface AskLeadDeps extends Pick<QuestionsDeps, "onLate"> {
  readonly self: Pick<Participant, "name" | "send">;
  /** The name of the one member whose answers count. */
  readonly lead: string;
  /** That of the team. */
  readonly form: Form;
  readonly now: () => Date;
  /** A fresh UUID. */
  readonly newId: () => string;
}

export interface AskLead {
  readonly ask: Ask;
  /** Takes the lead's answers, in time or late, and nothing else; whoever reads the inbox must go on while a call waits. */
  reader(message: Message): boolean;
}

/**
 * Asks the lead by message and waits for its answer. A request does not outlive the process: a call that is asked about again after a crash
 * is a new request, and an answer to the old one is late.
 */
export function askLead({ self, lead, form, now, newId, ...deps }: AskLeadDeps): AskLead {
  const questions = createQuestions(deps);

  return {
    async ask(question, signal) {
      if (signal.aborted) return { behavior: "deny", message: "the question was taken back" };
      const id = makePermissionId(now().getTime(), newId().slice(0, 7));
      // The answer can be there before the store has said that the request is.
      const reply = questions.ask({ ...question, id }, signal);
      await self.send(lead, { body: requestOf(id, self.name, question) });
      return reply;
    },

    reader({ entry }) {
      if (entry.from !== lead) return false;
      const read = codecFor(form).readBody(entry.text);
      if (read.kind !== "message" || read.body.type !== "permission_response") return false;
      const { body } = read;
      const question = questions.waiting().find(({ id }) => id === body.request_id);
      questions.answer(body.request_id, replyOf(body, question));
      return true;
    },
  };
}

const requestOf = (id: string, name: string, { call, tool, input, reason, suggestions }: Question) => ({
  type: "permission_request" as const,
  request_id: id,
  agent_id: name,
  tool_name: tool,
  tool_use_id: call,
  description: descriptionIn(input) ?? reason,
  input: input as Record<string, unknown>,
  permission_suggestions: [...suggestions],
});

/** What the call says of itself, as one of a shell does. */
function descriptionIn(input: unknown): string | undefined {
  const { description } = (input ?? {}) as { readonly description?: unknown };
  return typeof description === "string" && description !== "" ? description : undefined;
}

type Answer = Extract<MessageBody, { readonly type: "permission_response" }>;

function replyOf(answer: Answer, question: Question | undefined): Reply {
  if (answer.subtype === "error") return { behavior: "deny", message: answer.error ?? "the lead refused it" };
  const { approved_request: approved, response } = answer;
  if (question && approved && !describes(approved, question))
    return { behavior: "deny", message: "the lead's answer did not describe this tool call" };
  return { behavior: "allow", updatedInput: response.updated_input, updates: response.permission_updates ?? [] };
}

const describes = (
  approved: NonNullable<Extract<Answer, { readonly subtype: "success" }>["approved_request"]>,
  { call, tool, input }: Question,
): boolean =>
  approved.tool_use_id === call && approved.tool_name === tool && approved.input_digest === inputDigest(tool, input);
