import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileStore } from "@troupe/store/files";
import { createSpawner } from "@troupe/team";
import { backendDouble } from "@troupe/team/testing";
import { onTestFinished } from "vitest";
import type { TeammateWish } from "../src/agent/session-context.ts";
import { openTeammates, type TeammatesDeps } from "../src/session/teammates.ts";

const { signal } = new AbortController();

/** A lead in a mode, with what it was told and what was seen. */
export async function leadIn(mode: string, more: object = {}) {
  const root = mkdtempSync(join(tmpdir(), "troupe-teammates-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const clock = { now: Date.now() };
  const now = () => new Date(clock.now);
  const at = { createdAt: Date.now(), cwd: root };
  const store = openFileStore({ root, now });
  const team = await store.createTeam({
    name: "crew",
    leadSessionId: "s",
    leadModel: "m",
    ...at,
  });
  const self = await team.as("team-lead");
  const double = backendDouble("tmux");
  const found = await double.open();
  const specs: object[] = [];
  const backend = {
    ...found,
    spawn: async (...given: Parameters<typeof found.spawn>) => {
      specs.push(given[0]);
      return found.spawn(...given);
    },
  };
  const mail: { hear: () => Promise<unknown> } = { hear: async () => 0 };
  const told: string[] = [];
  const seen: string[] = [];
  const recorded: object[] = [];
  const heard: unknown[] = [];
  /** What the lead had been told when an end was seen. */
  const toldBefore: string[] = [];
  const deps: TeammatesDeps = {
    team,
    self: self.name,
    spawner: createSpawner({ team, self, backends: [backend], now, graceMs: 10 }),
    backends: [backend],
    sessionId: "s",
    hear: () => mail.hear(),
    tell: (name, words) => told.push(`${name}: ${words}`),
    onSeen({ name }, { kind }) {
      seen.push(`${name} ${kind}`);
      if (kind === "ended") toldBefore.push(...told);
    },
    onRecorded: ({ by, event }) => heard.push([by, (event as { readonly kind: string }).kind]),
    record: (event) => recorded.push(event),
    show: (message) => told.push(message),
  };
  const teammates = openTeammates(deps);
  onTestFinished(() => teammates.close());
  const session = { revision: "2026-02", gates: {}, ...more };
  const caller = { session, permissions: { lends: () => mode }, key: { model: "claude-opus-4-6" }, cwd: root };
  const add = (wish: Partial<TeammateWish>, task: object = {}) =>
    teammates.add(
      { name: "ann", team: "crew", task: { description: "d", prompt: "go", ...task }, ...wish, caller } as never,
      signal,
    );
  const next = (again: Pick<TeammatesDeps, "workspaces"> = {}) =>
    openTeammates({ ...deps, ...again, spawner: createSpawner({ team, self, backends: [backend], now, graceMs: 10 }) });
  const names = async () => ((await team.config()).value?.members ?? []).map(({ name }) => name);
  return {
    store,
    team,
    mail,
    teammates,
    next,
    double,
    backend,
    specs,
    told,
    seen,
    toldBefore,
    recorded,
    heard,
    add,
    names,
    clock,
  };
}
