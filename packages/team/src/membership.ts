import { isTroupeError, memberName, messageOf, type PermissionMode } from "@troupe/protocol";
import { aborted, type Participant, type Team } from "@troupe/store";
import { tellActive } from "./activity.ts";
import { rosterEntry } from "./handshakes/handshake.ts";
import { permissionHandshake } from "./handshakes/permission.ts";
import { type PlanPolicy, planHandshake } from "./handshakes/plan.ts";
import { shutdownHandshake } from "./handshakes/shutdown.ts";
import { type LeadWatch, watchLead } from "./lead.ts";
import { isMembership } from "./ledger/fold.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { openMailbox } from "./mailbox.ts";
import type { Member, TurnEnd } from "./member.ts";
import { type Ask, type Badge, bubbleTo, type Reply } from "./person.ts";
import { createRouter, type Router } from "./router.ts";
import { releaseTasks, removeMember, type Spawner, spawnedIn } from "./spawner.ts";
import { standingOf } from "./standing.ts";
import { failedTurn, reportedTurn } from "./words.ts";

export interface MembershipDeps {
  readonly team: Team;
  readonly self: Participant;
  /** The name of who leads it, which may be this one. */
  readonly lead: string;
  /** Asked for when it is first needed: a session opens its journal after it knows its place. */
  readonly ledger: () => Ledger;
  readonly color?: string | undefined;
  /**
   * Of a teammate in the lead's process: its questions go to the lead's screen, and leave nothing
   * in an inbox.
   */
  readonly bridge?: Ask | undefined;
  /**
   * Of a teammate: its lead has started it, and takes it out of the team once it has agreed to end.
   * One that joined by itself leaves by itself.
   */
  readonly isSpawned?: boolean | undefined;
  /**
   * Of a teammate: its lead has given it a key and signs what it sends it. What is not signed asks
   * and answers nothing.
   */
  readonly hasKey?: boolean | undefined;
  /** Of a lead: who approves plans; its model, unless it is said. */
  readonly plans?: PlanPolicy | undefined;
  /** Of a lead: what it works in, which a plan that is approved is carried out in. */
  readonly mode?: (() => PermissionMode | "bubble") | undefined;
  /** Of a teammate: whether it may work in a mode that it is granted. */
  readonly mayWork?: ((mode: PermissionMode) => boolean) | undefined;
  /** Of a lead: knows the members that it added, and ends where one ran that has agreed to end. */
  readonly spawner?: Pick<Spawner, "stop" | "ours"> | undefined;
  /**
   * Of a teammate: how it knows that its lead is there; by looking now and then, unless it is said.
   */
  readonly leadWatch?: LeadWatch | undefined;
  readonly now: () => Date;
  readonly newId: () => string;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
}

/**
 * What being in a team is for one member, of whatever kind: its mail, its questions, whom it writes
 * to.
 */
export interface Membership extends Router {
  readonly team: Team;
  readonly self: Participant;
  /** The name of who leads it. */
  readonly lead: string;
  readonly isLead: boolean;
  readonly leadWatch: LeadWatch;
  /**
   * Hands the member its mail and its questions, and tells the lead when it is idle. Ends with the
   * signal, or when the member has agreed to end by a reply.
   */
  attend(member: Member, signal: AbortSignal): Promise<void>;
  /** Offers what waits, now; says how much the member left. */
  offer(): Promise<number>;
  /**
   * Writes down whose ledger this is, once a membership, and does what an earlier process left
   * undone.
   */
  enter(): Promise<void>;
  /** Of a teammate: the person at the lead's screen, or the lead by message. */
  readonly ask: Ask;
  /**
   * Of a lead: answers a permission request that it heard as a message; undefined where none waits.
   */
  answer(to: string, id: string, reply: Reply): Promise<true | undefined>;
  /** Of a teammate: hands a plan to the lead; the id under which it waits. */
  handIn(plan: string, path: string): Promise<string>;
  /** Of a teammate whose last plan is approved: the mode it was given. */
  granted(): PermissionMode | undefined;
  /**
   * Of a lead: takes a member out that has ended, and says so in the words for its model. One that
   * joined by itself takes its entry out itself: it only gives its tasks back, without a word.
   */
  remove(name: string): Promise<string | undefined>;
  /** Of a teammate: true once it has agreed to end. */
  isLeaving(): boolean;
  /** Of a teammate: once it has agreed to end, what is left to do for that. */
  takeLeave(): Promise<void>;
  /**
   * What a model must know of the team once its conversation was summarised, in words: members,
   * open tasks and open requests, from disk.
   */
  standing(): Promise<string>;
  /** Lets go of the mail, and takes leave where that is due. */
  close(): Promise<void>;
}

export function openMembership(deps: MembershipDeps): Membership {
  const { team, self, lead, ledger, plans = "lead", color, bridge, hasKey, spawner, now, newId, show } = deps;
  const isLead = self.name === lead;
  if (!isLead) memberName(self.name);
  const closing = new AbortController();
  const { signal } = closing;
  let member: Member | undefined;
  let entered: Promise<void> | undefined;
  let ending = new AbortController();

  const leadWatch = deps.leadWatch ?? watchLead({ team, self, lead, bridge });
  const mailbox = openMailbox({
    team,
    self,
    ledger,
    now,
    newId,
    show,
    enter,
    signer: hasKey ? lead : undefined,
    hear: (messages) => member?.hear(messages) ?? [],
    handshakes: () => [permission, plan, shutdown],
  });
  const common = {
    team,
    self,
    lead,
    ledger,
    answers: mailbox,
    signal,
    now,
    newId,
    show,
    ask: (question: Parameters<Member["ask"]>[0], over: AbortSignal = signal) =>
      member?.ask(question, over === signal ? signal : AbortSignal.any([signal, over])),
  };
  const remove = async (name: string): Promise<string | undefined> => {
    const isOurs = await (spawner ? spawner.ours() : spawnedIn(team));
    const entry = await rosterEntry(team, name);
    if (isOurs(entry ? { joinedAt: 0, ...entry } : { name }))
      return removeMember(team, name, async (one) => spawner?.stop(one), show);
    await releaseTasks(team, name);
    return undefined;
  };
  const permission = permissionHandshake({ ...common, leadWatch });
  const plan = planHandshake({
    ...common,
    policy: plans,
    mode: deps.mode ?? (() => "default"),
    mayWork: deps.mayWork ?? (() => true),
  });
  const shutdown = shutdownHandshake({ ...common, isSpawned: deps.isSpawned ?? false, remove, leave });
  const router = createRouter({ team, self, lead, shutdown, plan });
  const badge: Badge = { name: self.name, color };

  /** A team of the same name that was made later is another one; what has failed is tried again. */
  function enter(): Promise<void> {
    entered ??= (async () => {
      const { value } = await team.config();
      const joined = { kind: "joined", team: team.name, createdAt: value?.createdAt ?? 0, name: self.name } as const;
      if (!isMembership(ledger().state(), joined)) ledger().append({ ...joined, lead });
      permission.resume();
      for (const one of ledger().state().decided.values())
        await mailbox
          .finish(one)
          .catch((error: unknown) => show(`An answer did not reach ${one.to}: ${messageOf(error)}`));
    })();
    entered.catch(() => {
      entered = undefined;
    });
    return entered;
  }

  /** It has agreed by a reply of its own. */
  async function leave(): Promise<void> {
    await member?.stop("shutdown");
    await shutdown.takeLeave();
    ending.abort();
  }

  async function attend(one: Member, until: AbortSignal): Promise<void> {
    member = one;
    ending = new AbortController();
    const over = AbortSignal.any([until, signal, ending.signal]);
    try {
      // A store that refuses this member from now on ends its work, with the reason.
      const heard = one.kind === "process" ? aborted(over) : mailbox.heed().then(() => aborted(over));
      await Promise.race([tellEnds(one, over), heard, aborted(over)]);
      await aborted(over);
    } finally {
      member = undefined;
    }
  }

  async function tellEnds(one: Member, over: AbortSignal): Promise<void> {
    for (;;) {
      const end = await one.turnEnded(over);
      if (!end || over.aborted) return;
      const untold = (error: unknown) => {
        // What becomes of a member whose team is gone is for its watch of the lead.
        if (isTroupeError(error) && error.code === "team_unknown") return;
        show(`${lead} could not be told that ${self.name} is idle: ${messageOf(error)}`);
      };
      if (!isLead) await tellLead(one, end).catch(untold);
      await tellActive({ team, self, isLead }, false).catch(untold);
    }
  }

  /**
   * The notice of a turn's end; what it has no place for goes before it as words: why the turn
   * failed, and in 2026-02 what was said last by one that is no session.
   */
  async function tellLead({ kind }: Member, { text, failure }: TurnEnd): Promise<void> {
    if (failure) await self.send(lead, failedTurn(failure));
    if (text !== "" && kind !== "session" && team.form !== "2026-11") await self.send(lead, reportedTurn(text));
    const hasMail = (await mailbox.look()) > 0;
    const summary = router.takePeerSummary();
    const body = {
      type: "idle_notification" as const,
      from: self.name,
      timestamp: now().toISOString(),
      ...(hasMail && team.form === "2026-11" ? {} : { idleReason: "available" }),
      ...(summary === undefined ? {} : { summary }),
      ...(text === "" ? {} : { result: text }),
    };
    await self.send(lead, { body });
  }

  return {
    ...router,
    team,
    self,
    lead,
    isLead,
    leadWatch,
    attend,
    enter,
    offer: mailbox.look,
    ask: bridge ? permission.bridged(bubbleTo(bridge, badge)) : permission.ask,
    answer: permission.answer,
    handIn: plan.handIn,
    granted: plan.granted,
    remove,
    isLeaving: shutdown.isLeaving,
    takeLeave: shutdown.takeLeave,
    standing: () => standingOf(common),
    async close() {
      closing.abort();
      await shutdown.takeLeave().finally(mailbox.close);
    },
  };
}
