import type { Participant, Team } from "@troupe/store";
import { mayComplete, type TaskHooksDeps } from "../hooks/task-hooks.ts";
import type { Ask, Badge } from "../permissions/ask.ts";
import { type LateReply, orphanedPermission } from "../permissions/questions.ts";
import { teammateAsk } from "../permissions/teammate-ask.ts";
import type { Queue } from "../queue.ts";
import { askLead } from "./ask-lead.ts";
import { type Mailbox, type MailReader, openMailbox } from "./mailbox.ts";
import { permissionDesk } from "./permission-desk.ts";

/** A session's place in a team. */
export interface Place {
  readonly team: Team;
  readonly self: Participant;
  /** The name of whoever leads it, which may be this one. */
  readonly lead: string;
  readonly color?: string;
  /** The lead's screen, where the lead is in the same process. */
  readonly bridge?: Ask;
}

export interface MembershipDeps extends Place {
  readonly transcript: string;
  readonly queue: Queue;
  /** Asks the person at this session's own screen. */
  readonly ask: Ask;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly show: (message: string) => void;
  /** Fires when the session ends. */
  readonly signal: AbortSignal;
}

/** What being a member changes for a session: where its inputs come from, and whom it asks. */
export interface Membership {
  readonly mailbox: Mailbox;
  readonly isLead: boolean;
  /** The person at the lead's screen, or the lead by message; a lead asks its own. */
  readonly ask: Ask;
}

export function openMembership(deps: MembershipDeps): Membership {
  const { team, self, lead, color, bridge, transcript, queue, ask, now, newId, show, signal } = deps;
  const { form } = team;
  const mailboxWith = (readers: readonly MailReader[]) =>
    openMailbox({ team, self, transcript, readers, besides: queue.inputs() });
  if (self.name === lead) {
    const onUnsent = (error: unknown) => show(`An answer did not reach its teammate: ${(error as Error).message}`);
    const desk = permissionDesk({ self, form, badgeOf: badgeIn(team), ask, newId, signal, onUnsent });
    return { mailbox: mailboxWith([desk.reader]), isLead: true, ask };
  }
  const onLate = (late: LateReply) => void queue.enqueue(orphanedPermission(late));
  const asking = askLead({ self, lead, form, now, newId, onLate });
  const badge: Badge = { name: self.name, ...(color === undefined ? {} : { color }) };
  return {
    mailbox: mailboxWith([asking.reader]),
    isLead: false,
    ask: teammateAsk({ mailbox: asking.ask, badge, ...(bridge ? { bridge } : {}) }),
  };
}

const badgeIn =
  (team: Pick<Team, "config">) =>
  async (name: string): Promise<Badge | undefined> => {
    const { value } = await team.config();
    const member = value?.members.find((one) => one.name === name);
    return member && { name, ...(member.color === undefined ? {} : { color: member.color }) };
  };

/** Asks the hooks of TaskCompleted about what a member has begun and not completed; what they object to is what it goes on with. */
export async function leftUndone(
  { self, ...deps }: TaskHooksDeps & { readonly self: Pick<Participant, "name" | "tasks"> },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { tasks } = await self.tasks.list();
  const open = tasks.filter(({ owner, status }) => owner === self.name && status === "in_progress");
  const objections: string[] = [];
  for (const task of open) {
    const verdict = await mayComplete(task, { ...deps, member: self.name }, signal);
    if (!verdict.completes) objections.push(`Task #${task.id}: ${verdict.because}`);
  }
  return objections.length === 0 ? undefined : objections.join("\n\n");
}
