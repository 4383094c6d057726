import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openFileStore } from "@troupe/store/files";
import { type Ask, askNobody, type CallQuestion, type Membership } from "@troupe/team";
import { onTestFinished } from "vitest";
import type { Terminal } from "../src/journal/entry.ts";
import { conversationOf } from "../src/journal/state.ts";
import type { Block } from "../src/model/model.ts";
import { type Script, scriptedModel } from "../src/model/scripted.ts";
import type { WorkingMode } from "../src/permissions/ruling.ts";
import { openSession } from "../src/session/open.ts";
import type { Seat } from "../src/session/seat.ts";
import { seatOf } from "../src/session/seats.ts";
import type { Session, SessionOptions } from "../src/session/session.ts";
import { planFileOf } from "../src/tools/plan-mode.ts";
import { toolUse } from "./entries.ts";
import { prefix } from "./rehearsal.ts";
import { type Crew, heardBy } from "./team.ts";

/** A session that is a member of a crew, and what its person saw. */
export interface Member {
  readonly session: Session;
  readonly membership: Membership;
  readonly plan: { readonly path: string };
  /** What a person was asked. */
  readonly asked: readonly CallQuestion[];
  readonly shown: readonly string[];
  /** What the model was told, message by message, answers and results too. */
  heard(): readonly string[];
  /** Resolves when mail for the model waits. */
  mail(): Promise<void>;
  /** One turn over what waits; a teammate is attended instead. */
  turn(): Promise<void>;
}

export type MemberDeps = Partial<Pick<Seat, "team" | "plans" | "spawner" | "isSpawned" | "hasKey">> &
  Pick<SessionOptions, "isBypassAvailable"> & { readonly mode?: Exclude<WorkingMode, "bubble">; readonly ask?: Ask };

type OfLead = NonNullable<MemberDeps["spawner"]>;

/** Of a lead that has added all members: ends them so. */
export const endsBy = (stop: OfLead["stop"]): OfLead => ({ stop, ours: async () => () => true });

/** Opens a member's session; the next of the name goes on with it once it is closed. */
export async function member(crew: Crew, name: string, script: Script, deps: MemberDeps = {}): Promise<Member> {
  const { root } = crew;
  const { team = crew.team, mode, isBypassAvailable, ask = askNobody, ...seat } = deps;
  const store = openFileStore({ root });
  const { value } = await team.config();
  const entry = value?.members.find((one) => one.name === name);
  const asked: CallQuestion[] = [];
  const shown: string[] = [];
  const session = openSession({
    sessionId: name,
    machine: { root, home: root, temporary: join(root, "tmp"), environment: {} },
    project: { cwd: root },
    role: "You are thorough.",
    model: scriptedModel(script),
    key: prefix.key,
    person: {
      ask(question, signal) {
        asked.push(question);
        return ask(question, signal);
      },
      show: (message) => void shown.push(message),
    },
    options: { revision: team.form === "2026-11" ? "2026-11" : "2026-02", mode, isBypassAvailable },
    store,
    seat: {
      ...(await seatOf(team, name)),
      isSpawned: true,
      planModeRequired: entry?.["planModeRequired"] === true,
      ...seat,
    },
  });
  onTestFinished(session.close);
  const membership = session.membership();
  if (!membership) throw new Error(`${name} has no seat`);
  return {
    session,
    membership,
    plan: planFileOf(name, { root, store }),
    asked,
    shown,
    heard: () =>
      heardBy(session).map((text, at) => text || JSON.stringify(conversationOf(session.journal.state())[at])),
    mail: () => session.mail(AbortSignal.timeout(10_000)),
    async turn() {
      for await (const _ of session.run());
    },
  };
}

/** The teammate works until it ends or the test does; how its last turn ended. */
export function atWork({ session }: Member): { readonly over: Promise<Terminal | undefined> } {
  const ending = new AbortController();
  const attendance = session.attendTeam(ending.signal);
  const watched = async () => {
    for (let next = await attendance.next(); ; next = await attendance.next()) if (next.done) return next.value;
  };
  const over = watched();
  onTestFinished(async () => {
    ending.abort("shutdown");
    await over.catch(() => {});
  });
  return { over };
}

/** A call of SendMessage in the form of `to`. */
export const send = (id: string, to: string, message: string | object): Block =>
  toolUse(id, "SendMessage", typeof message === "string" ? { to, message, summary: message } : { to, message });

/** Entries of an inbox, each with its structured body, if it is one. */
export function inboxIn(crew: Crew, name: string): readonly Record<string, unknown>[] {
  const entries = JSON.parse(readFileSync(crew.inboxOf(name), "utf8")) as Record<string, unknown>[];
  return entries.map((entry) =>
    String(entry["text"]).startsWith("{") ? { ...entry, body: JSON.parse(String(entry["text"])) } : entry,
  );
}
