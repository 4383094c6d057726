import { existsSync, readFileSync } from "node:fs";
import {
  codecFor,
  type MessageBody,
  makePlanApprovalId,
  PermissionMode,
  parseTranscript,
  planDigest,
} from "@troupe/protocol";
import type { Message, Participant, Team } from "@troupe/store";
import { entriesOf } from "../journal/lines.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { type Note, toldBefore } from "./notes.ts";

/** Where an agent writes its plan. */
export interface PlanFile {
  /** Absolute. */
  readonly path: string;
  /** Undefined while there is none. */
  read(): Promise<string | undefined>;
}

export interface PlanApprovalDeps {
  readonly team: Pick<Team, "form" | "name">;
  readonly self: Pick<Participant, "name" | "send">;
  /** The name of the one member whose answers count. */
  readonly lead: string;
  /** The journal of the agent: what it handed in and what came back, also in a process before this one. */
  readonly transcript: string;
  readonly plan: PlanFile;
  readonly permissions: () => Pick<Permissions, "setMode">;
  readonly now: () => Date;
}

/** How a teammate that must plan first comes by its lead's approval. */
export interface PlanApproval {
  /** The mode that was granted before the agent was opened again, if its last plan was approved. */
  readonly granted: PermissionMode | undefined;
  /** Hands a plan in; the id under which it waits, which is new each time. */
  submit(content: string): Promise<string>;
  /** Takes away answers to what does not wait any more; the rest is for the model. */
  reader(message: Message): Promise<boolean>;
  /** What an answer comes to. An approval changes the mode in the moment the model hears of it. */
  readonly note: Note;
}

type Approval = Extract<MessageBody, { readonly type: "plan_approval_response"; readonly approved: true }>;

export function planApproval(deps: PlanApprovalDeps): PlanApproval {
  const { team, self, lead, transcript, plan, permissions, now } = deps;
  const before = handedIn(transcript);
  const approval = before === undefined ? undefined : approvalOf(before);
  /** The last plan that was handed in, until it is approved. */
  let pending: { readonly id: string; readonly digest: string | undefined } | undefined;
  if (before !== undefined && !approval) pending = { id: before, digest: undefined };
  let lastMs = 0;

  return {
    granted: approval && modeIn(approval),

    async submit(content) {
      const at = now();
      lastMs = Math.max(at.getTime(), lastMs + 1);
      const requestId = makePlanApprovalId(lastMs, self.name, team.name);
      const earlier = pending;
      // The answer can be there before the store has said that the request is.
      pending = { id: requestId, digest: planDigest(content) };
      const stamp = { from: self.name, timestamp: at.toISOString(), requestId };
      try {
        await self.send(lead, {
          body: { type: "plan_approval_request", ...stamp, planFilePath: plan.path, planContent: content },
        });
      } catch (error) {
        pending = earlier;
        throw error;
      }
      return requestId;
    },

    async reader({ entry }) {
      const read = codecFor(team.form).readBody(entry.text);
      if (read.kind !== "message" || read.body.type !== "plan_approval_response" || entry.from !== lead) return false;
      if (read.body.requestId !== pending?.id) return true;
      pending = { ...pending, digest: pending.digest ?? planDigest((await plan.read()) ?? "") };
      return false;
    },

    note({ from, body }) {
      if (body.type !== "plan_approval_response") return undefined;
      if (from !== lead) return `Only ${lead} can answer your plan: this changes nothing.`;
      if (body.requestId !== pending?.id) return "This answers a plan that does not wait any more: it changes nothing.";
      if (!body.approved) return `[Plan Rejected] ${body.feedback ?? "No reason was given."}\n${again}`;
      const { planDigest: digest = pending.digest } = body;
      if (digest !== pending.digest) return `[Plan Rejected] The approval is of another plan than yours.\n${again}`;
      pending = undefined;
      return `${approvedWords} Carry your plan out now. You have left plan mode and work in the mode ${adopt(body)}.`;
    },
  };

  /** A mode that this agent cannot have is none that it is given. */
  function adopt(answer: Approval): PermissionMode {
    const mode = modeIn(answer);
    if (permissions().setMode(mode) === undefined) return mode;
    permissions().setMode("default");
    return "default";
  }

  /** Only one that counted when it was heard. */
  function approvalOf(requestId: string): Approval | undefined {
    const counted = toldBefore(transcript, team.form).filter(({ note }) => note?.startsWith(approvedWords));
    return counted
      .map(({ body }) => body)
      .find((body): body is Approval => isApproval(body) && body.requestId === requestId);
  }
}

const approvedWords = "[Plan Approved]";
const again = "Stay in plan mode, change the plan and call ExitPlanMode again.";

const isApproval = (body: MessageBody): body is Approval => body.type === "plan_approval_response" && body.approved;

/** Whoever may carry a plan out does not work in plan mode. */
function modeIn({ permissionMode }: Approval): PermissionMode {
  const { data = "default" } = PermissionMode.safeParse(permissionMode);
  return data === "plan" ? "default" : data;
}

/** The id of the plan that was handed in last, as the result of the call says it. */
function handedIn(transcript: string): string | undefined {
  if (!existsSync(transcript)) return undefined;
  const entries = parseTranscript(readFileSync(transcript, "utf8")).lines.flatMap(entriesOf);
  const blocks = entries.flatMap((entry) => (entry.kind === "answered" ? entry.answer.content : []));
  const calls = new Set(blocks.filter(({ name }) => name === "ExitPlanMode").map(({ id }) => id));
  const results = entries.flatMap((entry) => (entry.kind === "result" && calls.has(entry.call) ? entry.content : []));
  return results.flatMap(({ text }) => /\(request (\S+)\)\. /.exec(String(text))?.[1] ?? []).at(-1);
}
