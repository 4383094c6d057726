import { codecFor, type MessageBody, nameKey, planDigest } from "@troupe/protocol";
import { answerSent, planAnswerBody, type SendMessageOutput202602 } from "@troupe/protocol/tools";
import type { Participant, Team } from "@troupe/store";
import type { Ask, Badge, Reply } from "../permissions/ask.ts";
import type { WorkingMode } from "../permissions/finding.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { MailReader } from "./mailbox.ts";
import { type Note, toldBefore } from "./notes.ts";
import { memberNamed } from "./roster.ts";
import { type RequestOf, refused } from "./router.ts";

/**
 * Who approves the plans of teammates: the lead's model, the person at the lead's screen, or nobody, as in the reference client, where a plan
 * only makes its author think first. Nobody means members that this team makes plan; a stranger's plan waits for the model.
 */
export type PlanPolicy = "lead" | "user" | "auto";

export interface PlanDeskDeps {
  readonly team: Pick<Team, "config" | "form">;
  readonly self: Pick<Participant, "name" | "send">;
  readonly policy: PlanPolicy;
  readonly permissions: () => Pick<Permissions, "mode">;
  /** The journal of the lead: what it was told is what it may answer. */
  readonly transcript: string;
  /** The person at the lead's screen. */
  readonly ask: Ask;
  readonly now: () => Date;
  readonly newId: () => string;
  /** Fires when the lead ends; what waits then is not answered. */
  readonly signal: AbortSignal;
  /** An answer that did not reach its member. */
  readonly onUnsent: (error: unknown) => void;
}

/** Where a lead decides about the plans of its teammates. */
export interface PlanDesk {
  readonly reader: MailReader;
  readonly note: Note;
  /** The model's answer; undefined where nobody of that name is in the team. */
  answer(request: RequestOf<"plan_approval_response">): Promise<SendMessageOutput202602 | undefined>;
}

type Request = Extract<MessageBody, { readonly type: "plan_approval_request" }>;

export function planDesk(deps: PlanDeskDeps): PlanDesk {
  const { team, self, policy, permissions, transcript, ask, now, newId, signal, onUnsent } = deps;
  const approved = new Set<string>();
  const asked = new Map<string, Promise<void>>();
  const answered = new Set<string>();

  return {
    async reader({ entry: { from, text } }) {
      const read = codecFor(team.form).readBody(text);
      if (policy === "lead" || read.kind !== "message" || read.body.type !== "plan_approval_request") return false;
      const { body } = read;
      const member = await memberNamed(team, from);
      if (!member || nameKey(body.from ?? from) !== nameKey(from)) return false;
      const { name, color } = member;
      if (policy === "user") {
        const key = keyOf(name, body.requestId);
        if (answered.has(key)) return true;
        const badge = { name, ...(color !== undefined && { color }) };
        const served = () => void (signal.aborted || answered.add(key));
        const later = asked.get(key) ?? askPerson(body, badge).catch(onUnsent).then(served);
        asked.set(key, later);
        return { later };
      }
      if (member.planModeRequired) await decide(name, body, { behavior: "allow" }).catch(onUnsent);
      return false;
    },

    note({ from, body }) {
      if (body.type !== "plan_approval_request") return undefined;
      if (approved.has(keyOf(from, body.requestId)))
        return "This plan is approved already; there is nothing to answer.";
      const answer = { type: "plan_approval_response", request_id: body.requestId, approve: true };
      const call = JSON.stringify({ to: from, message: answer });
      return `${from} changes nothing until you have answered. Approve the plan with SendMessage ${call}, or send it back with approve false and what it lacks in feedback.`;
    },

    async answer({ to, requestId, approve, feedback }) {
      if (policy === "user")
        return refused("plans are approved by the person here: there is nothing for you to answer");
      const member = await memberNamed(team, to);
      if (!member) return undefined;
      const { name } = member;
      const handedIn = toldBefore(transcript, team.form).flatMap(({ from, body }) =>
        body.type === "plan_approval_request" && nameKey(from) === nameKey(name) ? [body] : [],
      );
      const last = handedIn.at(-1);
      if (last?.requestId !== requestId)
        return refused(`no plan of ${name} waits under the id ${JSON.stringify(requestId)}`);
      if (approved.has(keyOf(name, requestId))) return refused(`this plan of ${name} is approved already`);
      await decide(name, last, approve ? { behavior: "allow" } : { behavior: "deny", message: feedback });
      return answerSent(name, requestId);
    },
  };

  async function askPerson(request: Request, from: Badge): Promise<void> {
    const plan = request.planContent ?? "";
    const reply = await ask(
      {
        id: newId(),
        call: request.requestId,
        tool: "ExitPlanMode",
        input: { plan },
        reason: `${from.name} asks to carry out its plan`,
        suggestions: [],
        from,
      },
      signal,
    );
    if (!signal.aborted) await decide(from.name, request, reply);
  }

  async function decide(name: string, { requestId, planContent }: Request, reply: Reply): Promise<void> {
    const approve = reply.behavior === "allow";
    const feedback = reply.behavior === "deny" ? reply.message : "";
    const digest = planContent === undefined ? undefined : planDigest(planContent);
    const stamp = { timestamp: now().toISOString(), permissionMode: granted(permissions().mode()), planDigest: digest };
    await self.send(name, { body: planAnswerBody({ requestId, approve, feedback }, stamp) });
    if (approve) approved.add(keyOf(name, requestId));
  }
}

const keyOf = (name: string, requestId: string): string => JSON.stringify([nameKey(name), requestId]);

/** The lead's own mode, but for those that only bind a lead: in them nobody could carry a plan out. */
const granted = (mode: WorkingMode): WorkingMode => (mode === "plan" || mode === "delegate" ? "default" : mode);
