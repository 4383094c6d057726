import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { layoutOf, type Revision } from "@troupe/protocol";
import { openFileStore, type Team } from "@troupe/store";
import { onTestFinished } from "vitest";
import { type Agent, openAgent } from "../src/agent.ts";
import { conversationOf } from "../src/journal/state.ts";
import { type Script, scriptedModel } from "../src/model/scripted.ts";
import { createQueue } from "../src/queue.ts";
import { type Mailbox, type MailboxDeps, openMailbox } from "../src/team/mailbox.ts";
import { attendTeammate, type TeammateDeps } from "../src/team/teammate.ts";
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

/** A team on disk: a lead, and teammates of these names. */
export const crew = (revision: Revision, ...names: readonly string[]): Promise<Crew> =>
  crewLedBy("team-lead", revision, ...names);

export async function crewLedBy(leadName: string, revision: Revision, ...names: readonly string[]): Promise<Crew> {
  const root = scratch();
  const at = { createdAt: 1_770_000_000_000, cwd: root };
  const store = openFileStore({ root });
  const team = await store.createTeam({ ...at, name: "crew", leadSessionId: "s", leadModel: "m", leadName, revision });
  for (const name of names)
    await team.join({ name, agentType: "worker", model: "m", prompt: "p", joinedAt: at.createdAt, cwd: root });
  return {
    root,
    team,
    inboxOf: (name) => layoutOf(root).team("crew").inbox(name),
    say: async (to, text, summary = text) => void (await (await team.as(leadName)).send(to, { text, summary })),
    async leadHeard(count) {
      const entries = await until(team, async () => {
        const { entries } = await team.inbox(leadName).read();
        return entries.length >= count ? entries : undefined;
      });
      return entries.map(({ text }) => (text.startsWith("{") ? JSON.parse(text) : { text }));
    },
  };
}

/** Looks after every change of the team until there is something. */
export async function until<T>(team: Team, found: () => Promise<T | undefined>): Promise<T> {
  const changes = team.watch();
  try {
    for (;;) {
      const result = await found();
      if (result !== undefined) return result;
      await changes.next();
    }
  } finally {
    await changes.return?.();
  }
}

/** Puts entries behind those of an inbox as a writer does that knows no lock, for a moment when nobody else writes. */
export function writeForeign(path: string, ...entries: readonly object[]): void {
  mkdirSync(dirname(path), { recursive: true });
  let before: object[] = [];
  try {
    before = JSON.parse(readFileSync(path, "utf8"));
  } catch {}
  writeFileSync(path, JSON.stringify([...before, ...entries]));
}

export interface Life {
  readonly agent: Agent;
  readonly mailbox: Mailbox;
  /** What the model was told, message by message, answers too. */
  heard(): readonly string[];
  /** Lets go of everything, as the end of a process does. */
  die(): Promise<void>;
}

/** A member's agent with its mailbox, as a process has them; the transcript outlives it. */
export async function born(
  { root, team }: Crew,
  name: string,
  script: Script,
  more: Partial<Pick<MailboxDeps, "readers" | "signer">> = {},
): Promise<Life> {
  const transcript = join(root, `${name}.jsonl`);
  const queue = createQueue({ newId: randomUUID });
  const self = await team.as(name);
  const mailbox = openMailbox({ team, self, transcript, besides: queue.inputs(), ...more });
  const agent = openAgent({
    transcript,
    queue,
    inputs: mailbox.inputs,
    key: prefix.key,
    system: () => [words("You are thorough.")],
    model: scriptedModel(script),
  });
  let end: Promise<void> | undefined;
  const die = () => (end ??= mailbox.close().then(() => agent.close()));
  onTestFinished(die);
  return { agent, mailbox, heard: () => heardBy(agent), die };
}

export const heardBy = ({ journal }: Pick<Agent, "journal">) =>
  talkOf(conversationOf(journal.state())).map(({ content }) => content.map(({ text }) => text).join("\n"));

/** Attends a teammate until it ends or the test does. */
export async function attended(crew: Crew, name: string, life: Life, more: Partial<TeammateDeps> = {}) {
  const ending = new AbortController();
  const shown: string[] = [];
  const attendance = attendTeammate({
    ...life,
    team: crew.team,
    self: await crew.team.as(name),
    hooks: { fire: async () => ({ context: [], messages: [], errors: [] }) },
    show: (message) => void shown.push(message),
    now: () => new Date(),
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
