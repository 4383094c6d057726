import assert from "node:assert/strict";
import type { Revision } from "@troupe/protocol";
import type { NewTeam, Store, Team } from "../store.ts";
import type { Law } from "./judge.ts";

/** An engine that is judged, with data of its own. */
export interface Engine {
  /** A handle of the same data, as another process has one. */
  open(): Promise<Store>;
  /**
   * Makes every held lease look as if its holder had been stopped for longer than a lease lasts.
   */
  expireLeases(): Promise<void>;
}

/** A law of any engine. */
export type StoreLaw = Law<Scene>;

/** A team with two teammates, and two handles of it. */
export interface Scene {
  readonly engine: Engine;
  readonly stores: readonly [Store, Store];
  readonly draft: NewTeam;
  readonly team: Team;
  readonly other: Team;
  close(): Promise<void>;
}

const teamDraft: NewTeam = {
  name: "crew",
  createdAt: 1_770_000_000_000,
  leadSessionId: "b7f5edcc-898c-4e36-983f-1c2e8fec7d28",
  leadModel: "m",
  cwd: "/p",
};

/** The draft of a member. */
export const mate = (name: string) => ({
  name,
  agentType: "general-purpose",
  model: "m",
  prompt: "go",
  joinedAt: 1_770_000_000_001,
  cwd: "/p",
});

export async function sceneOf(engine: Engine, revision: Revision): Promise<Scene> {
  const stores = [await engine.open(), await engine.open()] as const;
  const draft = { ...teamDraft, revision };
  const team = await stores[0].createTeam(draft);
  for (const name of ["alice", "bob"]) await team.join(mate(name));
  const other = await stores[1].openTeam(draft.name);
  assert(other, "a team that was made is there for every handle");
  const close = async () => {
    for (const store of stores) await store.close();
  };
  return { engine, stores, draft, team, other, close };
}

/** The code with which something was refused. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return String((error as { readonly code?: unknown }).code);
  }
  return "nothing";
}

/** The outcome of several calls at once: the number that succeeded, and the codes of the others. */
export async function outcomesOf(work: readonly Promise<unknown>[]) {
  const codes = await Promise.all(work.map(codeOf));
  return { done: codes.filter((code) => code === "nothing").length, codes: codes.filter((code) => code !== "nothing") };
}

/** The messages in the mail of a member. */
export const mailOf = async (team: Team, name: string) => (await team.mail(name).page()).value ?? [];

export const textsOf = (messages: readonly { readonly entry: { readonly text: string } }[]): string[] =>
  messages.map(({ entry }) => entry.text);

export const keysOf = (messages: readonly { readonly key: string }[]): Set<string> =>
  new Set(messages.map(({ key }) => key));

/** The numbers from 1 on. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);
