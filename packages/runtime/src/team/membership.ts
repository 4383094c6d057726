import type { Member, PermissionMode } from "@troupe/protocol";
import type { Participant, Team } from "@troupe/store";
import { mayComplete, type TaskHooksDeps } from "../hooks/task-hooks.ts";
import type { Ask, Badge } from "../permissions/ask.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { type LateReply, orphanedPermission } from "../permissions/questions.ts";
import { teammateAsk } from "../permissions/teammate-ask.ts";
import type { Queue } from "../queue.ts";
import { askLead } from "./ask-lead.ts";
import { type Mailbox, type MailReader, openMailbox } from "./mailbox.ts";
import { type Note, withNotes } from "./notes.ts";
import { permissionDesk } from "./permission-desk.ts";
import { type PlanFile, planApproval } from "./plan-approval.ts";
import { type PlanPolicy, planDesk } from "./plan-desk.ts";
import { createRouter, type Router } from "./router.ts";
import { farewell, shutdownAnswers } from "./shutdown.ts";
import { attendTeammate, type TeammateDeps } from "./teammate.ts";

/** A session's place in a team. */
export interface Place {
  readonly team: Team;
  readonly self: Participant;
  /** The name of whoever leads it, which may be this one. */
  readonly lead: string;
  readonly color?: string;
  /** The lead's screen, where the lead is in the same process. */
  readonly bridge?: Ask;
  /** Of a teammate: it works in plan mode until the lead has approved its plan. */
  readonly planModeRequired?: boolean;
  /** Who approves the plans of this lead's teammates; its model, unless it is said. */
  readonly plans?: PlanPolicy;
  /** Of a lead: ends where a member ran that has agreed to end. */
  readonly endBackend?: (member: Member) => Promise<void> | void;
  /** Of a lead: the id of the task under which a member ran. */
  readonly runIdOf?: (name: string) => string | undefined;
}

export interface MembershipDeps extends Place {
  readonly transcript: string;
  readonly queue: Queue;
  /** Asks the person at this session's own screen. */
  readonly ask: Ask;
  /** What the session works under; asked for when a plan is answered. */
  readonly permissions?: () => Pick<Permissions, "mode" | "setMode">;
  /** Of a teammate: where its plan lies. Without it, it hands in none. */
  readonly plan?: PlanFile;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly show: (message: string) => void;
  /** Fires when the session ends. */
  readonly signal: AbortSignal;
}

/** What being a member changes for a session: where its inputs come from, whom it asks and whom it can write to. */
export interface Membership extends Router {
  readonly mailbox: Mailbox;
  readonly isLead: boolean;
  /** The person at the lead's screen, or the lead by message; a lead asks its own. */
  readonly ask: Ask;
  /** Of a lead: takes a member out of the team whose process is gone; says so in the words for its model. */
  readonly remove?: (name: string) => Promise<string>;
  /** Of a teammate: true once it has agreed to end. */
  readonly isLeaving?: () => Promise<boolean>;
  /** Of a teammate: hands a plan to the lead; the id under which it waits. */
  readonly submitPlan?: (content: string) => Promise<string>;
  /** Of a teammate whose last plan was approved before it was opened again: the mode it was given. */
  readonly granted?: PermissionMode;
}

export function openMembership(deps: MembershipDeps): Membership {
  return deps.self.name === deps.lead ? leading(deps) : belonging(deps);
}

/** The inbox as inputs: readers deal with what is no word for the model, notes say what the rest comes to. */
function mailboxOf(
  { team, self, transcript, queue }: MembershipDeps,
  readers: readonly MailReader[],
  notes: readonly Note[],
): Mailbox {
  const mailbox = openMailbox({ team, self, transcript, readers, besides: queue.inputs() });
  return { ...mailbox, inputs: withNotes(mailbox.inputs, team.form, notes) };
}

function leading(deps: MembershipDeps): Membership {
  const { team, self, lead, plans: policy = "lead", endBackend, runIdOf, transcript, ask, now, newId, signal } = deps;
  const { permissions = () => ({ mode: () => "default" as const }), show } = deps;
  const onUnsent = (error: unknown) => show(`An answer did not reach its teammate: ${(error as Error).message}`);
  const badgeOf = badgeIn(team);
  const desk = permissionDesk({ self, form: team.form, badgeOf, ask, newId, signal, onUnsent });
  const plans = planDesk({ team, self, policy, permissions, transcript, ask, now, newId, signal, onUnsent });
  const leaving = farewell({ team, self, endBackend, runIdOf, show });
  const router = createRouter({ team, self, lead, now, answerPlan: plans.answer });
  const mailbox = mailboxOf(deps, [desk.reader, plans.reader, leaving.reader], [plans.note, leaving.note]);
  return { ...router, mailbox, isLead: true, ask, remove: leaving.remove };
}

function belonging(deps: MembershipDeps): Membership {
  const { team, self, lead, color, bridge, transcript, queue, plan, permissions, now, newId } = deps;
  const onLate = (late: LateReply) => void queue.enqueue(orphanedPermission(late));
  const asking = askLead({ self, lead, form: team.form, now, newId, onLate });
  const badge: Badge = { name: self.name, ...(color === undefined ? {} : { color }) };
  const leaving = shutdownAnswers({ team, self, lead, transcript, now });
  const plans =
    plan && permissions ? planApproval({ team, self, lead, transcript, plan, permissions, now }) : undefined;
  const router = createRouter({ team, self, lead, now, answerShutdown: leaving.answer });
  const readers = [asking.reader, ...(plans ? [plans.reader] : [])];
  return {
    ...router,
    mailbox: mailboxOf(deps, readers, [leaving.note, ...(plans ? [plans.note] : [])]),
    isLead: false,
    ask: teammateAsk({ mailbox: asking.ask, badge, ...(bridge ? { bridge } : {}) }),
    isLeaving: leaving.isLeaving,
    ...(plans && { submitPlan: plans.submit }),
    ...(plans?.granted && { granted: plans.granted }),
  };
}

const badgeIn =
  (team: Pick<Team, "config">) =>
  async (name: string): Promise<Badge | undefined> => {
    const { value } = await team.config();
    const member = value?.members.find((one) => one.name === name);
    return member && { name, ...(member.color === undefined ? {} : { color: member.color }) };
  };

/** Goes on as a member, turn after turn: with what it has left undone, what it told its peers, and whether it has agreed to end. */
export function attendPlace(
  { team, self }: Place,
  { mailbox, takePeerSummary, isLeaving }: Membership,
  {
    onTasks,
    ...deps
  }: Pick<TeammateDeps, "agent" | "hooks" | "show" | "now" | "signal"> & { readonly onTasks: TaskHooksDeps },
): ReturnType<typeof attendTeammate> {
  const beforeIdle = () => leftUndone({ ...onTasks, self }, deps.signal);
  return attendTeammate({ ...deps, mailbox, team, self, beforeIdle, takePeerSummary, ...(isLeaving && { isLeaving }) });
}

/** Asks the hooks of TaskCompleted about what a member has begun and not completed; what they object to is what it goes on with. */
async function leftUndone(
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
