import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codecFor, type InboxEntry, isUnread, layoutOf, type Revision } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import { type Inbox, openFileStore, openInbox } from "@troupe/store/files";
import {
  askNobody,
  type LeadWatch,
  type Membership,
  type MembershipDeps,
  type TeamEvent,
  watchLead,
} from "@troupe/team";
import { onTestFinished } from "vitest";
import { awaited } from "../../../scripts/awaited.ts";
import { type Conversation, openConversation } from "../src/agent/conversation.ts";
import type { Journal } from "../src/journal/journal.ts";
import { conversationOf } from "../src/journal/state.ts";
import { type Script, scriptedModel } from "../src/model/scripted.ts";
import { createQueue } from "../src/queue.ts";
import type { SessionMember } from "../src/session/member.ts";
import { takeSeat } from "../src/session/seat.ts";
import { seatOf } from "../src/session/seats.ts";
import { type AttendanceDeps, attendTeam } from "../src/session/turns.ts";
import { words } from "./entries.ts";
import { prefix, talkOf } from "./rehearsal.ts";
import { scratch } from "./scratch.ts";

export interface Crew {
  readonly root: string;
  readonly team: Team;
  /** Where the inbox of a member lies, for writers of another make. */
  inboxOf(name: string): string;
  /** Sends as the lead. */
  say(to: string, text: string, summary?: string): Promise<void>;
  /** Resolves with the bodies in the lead's inbox once there are so many. */
  leadHeard(count: number): Promise<readonly Record<string, unknown>[]>;
}

/** A team on disk: a lead, and teammates of these names that it has added. */
export const crew = (revision: Revision, ...names: readonly string[]): Promise<Crew> =>
  crewLedBy("team-lead", revision, ...names);

export async function crewLedBy(leadName: string, revision: Revision, ...names: readonly string[]): Promise<Crew> {
  const root = scratch();
  const at = { createdAt: 1_770_000_000_000, cwd: root };
  const store = openFileStore({ root });
  const team = await store.createTeam({ ...at, name: "crew", leadSessionId: "s", leadModel: "m", leadName, revision });
  const lead = await team.as(leadName);
  const joinedAt = at.createdAt;
  for (const name of names) {
    await lead.record({ kind: "spawning", name, joinedAt } satisfies TeamEvent);
    await team.join({ name, agentType: "worker", model: "m", prompt: "p", joinedAt, cwd: root });
  }
  return {
    root,
    team,
    inboxOf: (name) => layoutOf(root).team("crew").inbox(name),
    say: async (to, text, summary = text) => void (await (await team.as(leadName)).send(to, { text, summary })),
    async leadHeard(count) {
      const enough = async () => {
        const entries = await mailOf(team, leadName);
        return entries.length >= count ? entries : undefined;
      };
      const entries = await until(team, enough, `message ${count} to ${leadName}`);
      return entries.map(({ text }) => (text.startsWith("{") ? JSON.parse(text) : { text }));
    },
  };
}

/** What is in the mail of a member, for anybody who looks. */
export const mailOf = async (team: Pick<Team, "mail">, name: string): Promise<readonly InboxEntry[]> =>
  ((await team.mail(name).page()).value ?? []).map(({ entry }) => entry);

/** What a member has not taken of it. */
export const waitingFor = async (team: Pick<Team, "mail">, name: string): Promise<readonly InboxEntry[]> =>
  (await mailOf(team, name)).filter(isUnread);

/**
 * A member's inbox for a writer of another make that takes the lock, and says of whom a message is
 * as it likes.
 */
export const foreignInbox = ({ root, team }: Pick<Crew, "root" | "team">, name: string): Inbox =>
  openInbox({ path: layoutOf(root).team(team.name).inbox(name), codec: codecFor(team.form) });

/** Looks after every change of the team until there is something. */
export async function until<T>(team: Team, found: () => Promise<T | undefined>, what = String(found)): Promise<T> {
  const changes = team.watch();
  const looking = async () => {
    for (;;) {
      const result = await found();
      if (result !== undefined) return result;
      if ((await changes.next()).done) throw new Error("nobody waits any more");
    }
  };
  return awaited(what, looking()).finally(() => changes.return?.());
}

/**
 * Puts entries behind those of an inbox as a writer does that knows no lock, for a moment when
 * nobody else writes.
 */
export function writeForeign(path: string, ...entries: readonly object[]): void {
  mkdirSync(dirname(path), { recursive: true });
  let before: object[] = [];
  try {
    before = JSON.parse(readFileSync(path, "utf8"));
  } catch {}
  writeFileSync(path, JSON.stringify([...before, ...entries]));
}

export interface Life {
  /** A run of it begins with what waits for it. */
  readonly agent: Conversation;
  readonly member: SessionMember;
  readonly membership: Membership;
  readonly attending: Promise<void>;
  /** What the notices say of the time. */
  readonly clock: { now: () => Date };
  /** Looks at what waits; says how much it is. */
  collect(): Promise<number>;
  arrival(signal: AbortSignal): Promise<void>;
  /** What the model was told, message by message, answers too. */
  heard(): readonly string[];
  /** Lets go of everything, as the end of a process does. */
  die(): Promise<void>;
}

interface LifeDeps extends Partial<Pick<MembershipDeps, "hasKey">> {
  /** How much mail it writes down before it is killed. */
  readonly hears?: number;
}

/** A member's agent with its mail, as a process has them; the transcript outlives it. */
export async function born(
  { root, team }: Crew,
  name: string,
  script: Script,
  { hears = Number.POSITIVE_INFINITY, ...more }: LifeDeps = {},
): Promise<Life> {
  const queue = createQueue({ newId: randomUUID });
  const clock = { now: () => new Date() };
  const agent = openConversation({
    transcript: join(root, `${name}.jsonl`),
    queue,
    key: prefix.key,
    system: () => [words("You are thorough.")],
    model: scriptedModel(script),
  });
  let heard = 0;
  const append: Journal["append"] = (entry, id) => {
    const isMail = entry.kind === "input" && entry.input.delivered !== undefined;
    if (isMail && heard === hears) throw new Error("killed");
    const stored = agent.journal.append(entry, id);
    if (isMail && ++heard === hears) throw new Error("killed");
    return stored;
  };
  const nothing = () => {};
  const seat = takeSeat(
    { ...(await seatOf(team, name)), isSpawned: true, ...more },
    { lends: () => "default", setMode: () => undefined },
    {
      journal: { state: agent.journal.state, append },
      queue,
      mayBypass: false,
      sessionId: name,
      backends: [],
      onSeen: nothing,
      onRecorded: nothing,
      keepAwake: () => async () => {},
      ask: askNobody,
      now: () => clock.now(),
      newId: randomUUID,
      show: nothing,
    },
  );
  const { member, membership } = seat;
  const ending = new AbortController();
  const attending = seat.begin(ending.signal);
  let end: Promise<void> | undefined;
  const die = () => {
    ending.abort();
    end ??= membership.close().then(() => agent.close());
    return end;
  };
  onTestFinished(die);
  return {
    member,
    membership,
    attending,
    clock,
    die,
    agent: {
      ...agent,
      // As the runs of a session begin.
      async *run(signal) {
        if (await seat.isOver()) return undefined;
        for (const entry of await seat.hear()) yield { kind: "entry", entry };
        return yield* agent.run(signal);
      },
    },
    collect: membership.offer,
    arrival: seat.mail,
    heard: () => heardBy(agent),
  };
}

export const heardBy = ({ journal }: Pick<Conversation, "journal">) =>
  talkOf(conversationOf(journal.state())).map(({ content }) => content.map(({ text }) => text).join("\n"));

/** Attends a teammate until it ends or the test does. */
export async function attended(
  crew: Crew,
  name: string,
  life: Pick<Life, "agent" | "member" | "membership" | "attending" | "clock">,
  { now, leadWatch, ...more }: Partial<AttendanceDeps> & { now?: () => Date; leadWatch?: LeadWatch } = {},
) {
  const ending = new AbortController();
  const shown: string[] = [];
  const { team } = crew;
  const { lead } = life.membership;
  const self = await team.as(name);
  if (now) life.clock.now = now;
  const attendance = attendTeam({
    ...life,
    membership: { ...life.membership, leadWatch: leadWatch ?? watchLead({ team, self, lead }, 5) },
    hooks: { fire: async () => ({ context: [], messages: [], errors: [] }) },
    show: (message) => void shown.push(message),
    onState: async () => {},
    signal: ending.signal,
    ...more,
  });
  const watched = async () => {
    for (let next = await attendance.next(); ; next = await attendance.next()) if (next.done) return next.value;
  };
  const over = watched();
  const stop = () => {
    ending.abort("shutdown");
    return over;
  };
  onTestFinished(async () => void (await stop().catch(() => {})));
  return { over, stop, shown };
}

/** Resolves from within a script or a hook, so that a test can go on when it is reached. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
