import { type MessageBody, makePlanApprovalId, nameKey, PermissionMode, planDigest } from "@troupe/protocol";
import { answerSent, planAnswerBody } from "@troupe/protocol/tools";
import type { Message } from "@troupe/store";
import { decisionOf, exchangeOf, lastPlan } from "../ledger/fold.ts";
import type { Reply } from "../person.ts";
import { approvedAlready, howToAnswerPlan, planWords } from "../words.ts";
import {
  askUntilSettled,
  bodyOf,
  type HandshakeDeps,
  heard,
  type RequestOf,
  refused,
  rosterEntry,
  type SendResult,
  type Taken,
} from "./handshake.ts";

/**
 * Who approves the plans of teammates: the lead's model, the person at the lead's screen, or
 * nobody, as in the reference client, where a plan only makes its author think first. Nobody means
 * members that this team makes plan; a stranger's plan waits for the model.
 */
export type PlanPolicy = "lead" | "user" | "auto";

export interface PlanHandshakeDeps extends HandshakeDeps {
  readonly policy: PlanPolicy;
  /** Of a lead: what it works in. */
  readonly mode: () => PermissionMode | "bubble";
  /** Of a teammate: whether it may work in a mode that it is granted. */
  readonly mayWork: (mode: PermissionMode) => boolean;
}

/**
 * A teammate that must plan first hands its plan to its lead, and leaves plan mode when it hears
 * that it is approved.
 */
export interface PlanHandshake {
  /** Hands a plan in; the id under which it waits, which is new each time. */
  handIn(plan: string, path: string): Promise<string>;
  /** The mode that was granted with the last plan, if that is approved. */
  granted(): PermissionMode | undefined;
  take(message: Message): Promise<Taken | undefined>;
  /** The answer of the lead's model; undefined where nobody of that name is in the team. */
  answer(request: RequestOf<"plan_approval_response">): Promise<SendResult | undefined>;
}

type Request = Extract<MessageBody, { readonly type: "plan_approval_request" }>;
type Approval = Extract<MessageBody, { readonly type: "plan_approval_response"; readonly approved: true }>;

const handshake = "plan";

export function planHandshake(deps: PlanHandshakeDeps): PlanHandshake {
  const { team, self, lead, ledger, answers, policy, mode, mayWork, signal, now, newId } = deps;
  const isLead = self.name === lead;
  let lastMs = 0;

  return {
    handIn,
    answer,
    take: async (message) => (isLead ? takeRequest(message) : takeAnswer(message)),
    granted() {
      const { outcome } = lastPlan(ledger().state()) ?? {};
      return outcome?.result === "allowed" ? outcome.mode : undefined;
    },
  };

  async function handIn(planContent: string, planFilePath: string): Promise<string> {
    const at = now();
    lastMs = Math.max(at.getTime(), lastMs + 1);
    const requestId = makePlanApprovalId(lastMs, self.name, team.name);
    // The answer can be there before the store has said that the request is.
    ledger().append({
      kind: "asked",
      handshake,
      id: requestId,
      to: lead,
      digest: planDigest(planContent),
      about: { path: planFilePath },
    });
    const stamp = { from: self.name, timestamp: at.toISOString(), requestId };
    try {
      await self.send(lead, { body: { type: "plan_approval_request", ...stamp, planFilePath, planContent } });
    } catch (error) {
      // The plan before it, if any, waits on.
      ledger().append({ kind: "settled", outcome: { handshake, id: requestId, result: "given_up" } });
      throw error;
    }
    return requestId;
  }

  function takeAnswer(message: Message): Taken | undefined {
    const body = bodyOf(deps, message, "plan_approval_response");
    if (!body) return undefined;
    if (message.entry.from !== lead) return heard(message, [planWords.peer(lead)]);
    const plan = lastPlan(ledger().state());
    const id = body.requestId;
    if (plan?.id !== id || plan.outcome?.result === "allowed") return "done";
    if (!body.approved) {
      const settles = { handshake, id, result: "denied", why: body.feedback } as const;
      return heard(message, [planWords.rejected(body.feedback)], { settles });
    }
    if ((body.planDigest ?? plan.digest) !== plan.digest) return heard(message, [planWords.other]);
    const granted = modeIn(body);
    return heard(message, [planWords.approved(granted)], {
      settles: { handshake, id, result: "allowed", mode: granted },
    });
  }

  /**
   * A plan is not carried out in plan mode, and a mode that its agent cannot have is none
   * that it is given.
   */
  function modeIn({ permissionMode }: Approval): PermissionMode {
    const { data = "default" } = PermissionMode.safeParse(permissionMode);
    return data === "plan" || !mayWork(data) ? "default" : data;
  }

  /** Only a member asks, and only for itself. */
  async function takeRequest(message: Message): Promise<Taken | undefined> {
    const body = bodyOf(deps, message, "plan_approval_request");
    const from = body && (await rosterEntry(team, message.entry.from));
    if (!body || !from || nameKey(body.from ?? from.name) !== nameKey(from.name)) return undefined;
    const { name, color } = from;
    const key = exchangeOf(name, body.requestId);
    const decision = decisionOf(ledger().state(), name, body.requestId);
    if (ledger().state().open.has(key)) return "done";
    if (decision?.isSent) return policy !== "user" && approvedBy(decision) ? heard(message, [approvedAlready]) : "done";
    if (answers.isServing(key)) return policy === "user" ? "waits" : told(message, body, name);
    if (policy === "lead" || (policy === "auto" && from.planModeRequired !== true)) return told(message, body, name);
    const digest = digestOf(body);
    if (policy === "auto") {
      const given = async () => void (await decide(name, body.requestId, digest, { behavior: "allow" }));
      if (!decision) await answers.served(key, name, given);
      const sent = decisionOf(ledger().state(), name, body.requestId)?.isSent;
      return sent ? heard(message, [approvedAlready]) : told(message, body, name);
    }
    const { planContent: plan = "", planFilePath: path } = body;
    const question = { kind: handshake, id: newId(), from: { name, color }, plan, path } as const;
    const reply = askUntilSettled(deps, question, { handshake, from: name, id: body.requestId });
    if (!reply) return told(message, body, name);
    const given = reply.then(async (one) => {
      if (!signal.aborted) await decide(name, body.requestId, digest, one);
    });
    return answers.serve(key, name, given);
  }

  function told(message: Message, body: Request, name: string): Taken {
    const opens = { handshake, id: body.requestId, digest: digestOf(body) } as const;
    return heard(message, [howToAnswerPlan(name, body.requestId)], { opens });
  }

  async function answer({
    to,
    requestId,
    approve,
    feedback,
  }: RequestOf<"plan_approval_response">): Promise<SendResult | undefined> {
    if (policy === "user") return refused("plans are approved by the person here: there is nothing for you to answer");
    const member = await rosterEntry(team, to);
    if (!member) return undefined;
    const { name } = member;
    const decision = decisionOf(ledger().state(), name, requestId);
    if (decision?.isSent && approvedBy(decision)) return refused(`this plan of ${name} is approved already`);
    const open = ledger().state().open.get(exchangeOf(name, requestId));
    if (open?.handshake !== handshake)
      return refused(`no plan of ${name} waits under the id ${JSON.stringify(requestId)}`);
    // An approval has no feedback: what stands there goes behind it.
    const reply: Reply = approve ? { behavior: "allow", note: feedback } : { behavior: "deny", message: feedback };
    const isFirst = await decide(name, requestId, open.digest, reply);
    return isFirst
      ? answerSent(name, requestId)
      : refused(`this plan of ${name} was answered already, by the person at another terminal: that counts`);
  }

  function decide(to: string, id: string, digest: string | undefined, reply: Reply): Promise<boolean> {
    const approve = reply.behavior === "allow";
    const feedback = reply.behavior === "deny" ? reply.message : "";
    const permissionMode = (reply.behavior === "allow" && reply.mode) || grantable(mode());
    const note = reply.behavior === "allow" ? reply.note : undefined;
    return answers.give(
      { handshake, id, to, result: approve ? "allowed" : "denied" },
      (timestamp) =>
        planAnswerBody({ requestId: id, approve, feedback }, { timestamp, permissionMode, planDigest: digest }),
      note,
    );
  }
}

const approvedBy = ({ result }: { readonly result: string }): boolean => result === "allowed";

const digestOf = ({ planContent }: Request): string | undefined =>
  planContent === undefined ? undefined : planDigest(planContent);

/**
 * The lead's own mode, but for those that only bind a lead: in them nobody could carry a plan out.
 */
const grantable = (mode: PermissionMode | "bubble"): PermissionMode | "bubble" =>
  mode === "plan" || mode === "delegate" ? "default" : mode;
