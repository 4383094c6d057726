import { backendOf, codecFor, type Member, nameKey, teammateTerminated } from "@troupe/protocol";
import { answerSent, type SendMessageOutput202602, shutdownAnswerBody } from "@troupe/protocol/tools";
import type { Participant, Team } from "@troupe/store";
import type { MailReader } from "./mailbox.ts";
import { type Note, toldBefore } from "./notes.ts";
import { memberNamed, revisionOf } from "./roster.ts";
import { type RequestOf, refused } from "./router.ts";
import { teammateMessage } from "./teammate-words.ts";

export interface ShutdownAnswersDeps {
  readonly team: Pick<Team, "config" | "form" | "inbox">;
  readonly self: Pick<Participant, "name" | "send">;
  /** The name of the one member whose requests count. */
  readonly lead: string;
  /** The journal of the agent: what it was asked to its face is what it may answer. */
  readonly transcript: string;
  readonly now: () => Date;
}

/** How a teammate deals with being asked to end: its model decides. */
export interface ShutdownAnswers {
  readonly note: Note;
  answer(request: RequestOf<"shutdown_response">): Promise<SendMessageOutput202602>;
  /** True once it has agreed, also in a process before this one: the turn it is in was its last. */
  isLeaving(): Promise<boolean>;
}

export function shutdownAnswers({ team, self, lead, transcript, now }: ShutdownAnswersDeps): ShutdownAnswers {
  const { form } = team;
  const answered = new Set<string>();
  let agreed: Promise<boolean> | undefined;

  return {
    note({ from, body }) {
      if (from !== lead || body.type !== "shutdown_request") return undefined;
      const answer = { type: "shutdown_response", request_id: body.requestId, approve: true };
      const call = JSON.stringify({ to: lead, message: answer });
      return (
        `${lead} asks you to end. First leave what you have begun in order and tell whoever needs to know. Then agree with SendMessage ${call}, after which this ` +
        "turn is your last; or refuse with approve false and a reason, and go on."
      );
    },

    async answer({ requestId, approve, reason }) {
      const isAsked = toldBefore(transcript, form).some(
        ({ from, body }) => from === lead && body.type === "shutdown_request" && body.requestId === requestId,
      );
      if (!isAsked) return refused(`${lead} has not asked you to end under the id ${JSON.stringify(requestId)}`);
      if (answered.has(requestId)) return refused(`${requestId} is answered already`);
      const { tmuxPaneId: paneId = "", ...member } = (await memberNamed(team, self.name)) ?? {};
      const stamp = { from: self.name, timestamp: now().toISOString(), paneId, backendType: backendOf(member) ?? "" };
      await self.send(lead, { body: shutdownAnswerBody({ requestId, approve, reason }, stamp) });
      answered.add(requestId);
      if (approve) agreed = Promise.resolve(true);
      return answerSent(lead, requestId);
    },

    isLeaving() {
      agreed ??= hasAgreed();
      return agreed;
    },
  };

  /** Until the lead has dealt with it, an agreement waits in its inbox; afterwards there is no such member. */
  async function hasAgreed(): Promise<boolean> {
    const waiting = await team.inbox(lead).take();
    return waiting.some(({ entry }) => {
      const read = codecFor(form).readBody(entry.text);
      return entry.from === self.name && read.kind === "message" && read.body.type === "shutdown_approved";
    });
  }
}

export interface FarewellDeps {
  readonly team: Pick<Team, "config" | "form" | "leave" | "name" | "tasks">;
  readonly self: Pick<Participant, "name">;
  /** Ends where a member ran, such as its pane; it must not take long, since all mail waits for it. */
  readonly endBackend?: ((member: Member) => Promise<void> | void) | undefined;
  /** The id of the task under which a member ran; that of the member where there was none. */
  readonly runIdOf?: ((name: string) => string | undefined) | undefined;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
}

/** How a lead lets members go. */
export interface Farewell {
  /** Takes leave of whoever agreed to end; the agreement goes on to the model. What a crash cuts short is done again with the same message. */
  readonly reader: MailReader;
  readonly note: Note;
  /** Removes a member, however it ended, and says so in the words for the lead's model. */
  remove(name: string): Promise<string>;
}

export function farewell({ team, self, endBackend, runIdOf, show }: FarewellDeps): Farewell {
  const revision = revisionOf(team.form);
  const told = new Map<string, string>();
  const keyOf = (name: string, requestId: string) => JSON.stringify([name, requestId]);

  return {
    remove,

    async reader({ entry: { from, text } }) {
      const read = codecFor(team.form).readBody(text);
      if (read.kind !== "message" || read.body.type !== "shutdown_approved") return false;
      const { body } = read;
      if ((body.from ?? from) === from && nameKey(from) !== nameKey(self.name))
        told.set(keyOf(from, body.requestId), await remove(from));
      return false;
    },

    note({ from, body }) {
      return body.type === "shutdown_approved" ? told.get(keyOf(from, body.requestId)) : undefined;
    },
  };

  /** Leaving is the last step, so that whoever is still in the config has all of it before them. */
  async function remove(name: string): Promise<string> {
    const member = await memberNamed(team, name);
    if (member) await endOf(member);
    const unassigned: { id: string; subject: string }[] = [];
    for (const { id, subject = "", owner } of (await team.tasks.list()).tasks)
      if (owner === name && (await team.tasks.release(id, name))) unassigned.push({ id, subject });
    if (member) await team.leave(member.name);
    const runId = runIdOf?.(name) ?? `${name}@${team.name}`;
    const text = teammateTerminated[revision]({ runId, name, unassigned });
    return revision === "2026-02" ? text : teammateMessage({ from: "system", text, timestamp: "" });
  }

  async function endOf(member: Member): Promise<void> {
    try {
      await endBackend?.(member);
    } catch (error) {
      show(`What ${member.name} ran in could not be ended: ${error instanceof Error ? error.message : error}`);
    }
  }
}
