import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileStore } from "@troupe/store/files";
import { createSpawner } from "@troupe/team";
import { backendDouble } from "@troupe/team/testing";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { placeAt } from "../../test/place.ts";
import type { TeammateWish } from "../agent/session-context.ts";
import { openTeammates, type TeammatesDeps } from "./teammates.ts";

const signal = new AbortController().signal;

/** A lead in a mode, with what it was told and what was seen. */
async function leadIn(mode: string, more: object = {}) {
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
    spawner: createSpawner({ team, self, backends: [backend], now, graceMs: 10 }),
    backends: [backend],
    sessionId: "s",
    now,
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
  const next = () =>
    openTeammates({ ...deps, spawner: createSpawner({ team, self, backends: [backend], now, graceMs: 10 }) });
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

test("[ATP-SUB-003] a teammate stands in the roster, runs, and the answer names it and its model", async () => {
  const { add, names, double, specs } = await leadIn("default");
  const answer = await add({}, { model: "haiku" });
  const teammate = "teammate" in answer ? answer.teammate : undefined;
  expect(teammate).toMatchObject({
    status: "teammate_spawned",
    teammate_id: "ann@crew",
    name: "ann",
    team_name: "crew",
  });
  expect(specs).toMatchObject([{ name: "ann", prompt: "go", model: teammate?.["resolvedModel"], mode: "default" }]);
  expect(teammate?.["resolvedModel"]).toContain("haiku");
  expect([await names(), await double.running("crew")]).toEqual([["team-lead", "ann"], ["ann"]]);
});

test.each([
  ["2026-02", "default", "bypassPermissions", "default"],
  ["2026-02", "acceptEdits", "bypassPermissions", "acceptEdits"],
  ["2026-02", "bypassPermissions", undefined, "bypassPermissions"],
  ["2026-02", "acceptEdits", undefined, "acceptEdits"],
  ["2026-02", "plan", "acceptEdits", "plan"],
  ["2026-02", "acceptEdits", "default", "default"],
  ["2026-02", "default", "dontAsk", "dontAsk"],
  ["2026-11", "acceptEdits", "default", "acceptEdits"],
  ["2026-11", "acceptEdits", "bypassPermissions", "acceptEdits"],
  ["2026-11", "default", undefined, "default"],
])(
  "[TEAM-27] in %s a lead in %s that asks for %s gets a teammate in %s: never more than it may itself, and in 2026-11 its own mode",
  async (revision, mode, asked, given) => {
    const { add, specs } = await leadIn(mode, { revision });
    await add({}, { mode: asked });
    expect(specs).toMatchObject([{ mode: given, planModeRequired: false }]);
  },
);

test.each([
  [["*"], undefined],
  [undefined, undefined],
  [["Read"], ["Read"]],
  [[], []],
])(
  "a definition whose tools are %j is started with %j: no client has a tool that means all of them",
  async (tools, given) => {
    const { add, specs } = await leadIn("default");
    await add({ agent: { agentType: "reader", whenToUse: "to read", tools, model: "inherit" } as never });
    expect(specs).toMatchObject([{ tools: given }]);
  },
);

test.each([
  ["plan", undefined, true],
  ["plan", "acceptEdits", true],
  ["default", "plan", false],
] as const)(
  "[ATP-MEM-107] in 2026-11 whether a teammate must plan first is whether its lead (in %s) plans, whatever mode (%s) the call asks for",
  async (mode, asked, planModeRequired) => {
    const { add, specs, team } = await leadIn(mode, { revision: "2026-11" });
    await add({}, { mode: asked });
    expect(specs).toMatchObject([{ planModeRequired }]);
    expect((await team.config()).value?.members.at(-1)).toMatchObject({ name: "ann", planModeRequired });
  },
);

test("[ATP-BCK-004] a teammate that is to plan first is told so", async () => {
  const { add, specs } = await leadIn("default");
  await add({}, { mode: "plan" });
  expect(specs).toMatchObject([{ mode: "plan", planModeRequired: true }]);
});

test.each(["2026-02", "2026-11"] as const)(
  "in %s the gate areTeammatesPlanning makes a teammate plan first, whatever mode its call asks for",
  async (revision) => {
    const { add, specs } = await leadIn("default", { revision, gates: { areTeammatesPlanning: true } });
    await add({}, { mode: "acceptEdits" });
    expect(specs).toMatchObject([{ mode: "plan", planModeRequired: true }]);
  },
);

test("what cannot be is refused in words for the model, and leaves nothing", async () => {
  const { add, names, double } = await leadIn("default");
  expect(await add({ team: "other" })).toEqual({
    refusal: "you lead the team crew and no other: leave out team_name, or name that one",
  });
  expect(await add({}, { isolation: "worktree" })).toEqual({
    refusal: "no worktrees can be made here; leave out isolation",
  });
  await expect(add({}, { prompt: double.failing.prompt })).rejects.toThrow("ann did not become ready");
  expect(await names()).toEqual(["team-lead"]);
  await add({});
  expect(await add({})).toEqual({ refusal: expect.stringContaining("ann") });
  expect([await names(), await double.running("crew")]).toEqual([["team-lead", "ann"], ["ann"]]);
});

test("isolation holds for a teammate: it works in a worktree that is given back when it has ended", async () => {
  const log: string[] = [];
  const open = async (name: string) => {
    log.push(`open ${name}`);
    return placeAt("/the/worktree", {
      release: async () => {
        log.push("release");
        return { isKept: false };
      },
    });
  };
  const { add, specs, double } = await leadIn("default", { workspaces: { open } });
  await add({}, { isolation: "worktree" });
  expect(specs).toMatchObject([{ cwd: "/the/worktree", worktree: "/the/worktree" }]);
  expect(log).toEqual(["open agent-ann"]);
  await double.crash("crew", "ann");
  await untilSeen("the worktree given back", () => log[1]);
});

test("[ATP-LIF-009] [ATP-LIF-102] one that dies without a word is told to the lead with its open tasks, and is in the roster no more", async () => {
  const { add, names, double, team, told, seen, toldBefore, recorded } = await leadIn("default");
  await add({});
  const task = await team.tasks.create({ subject: "Parse", description: "" });
  await team.tasks.claim(task.id, "ann");
  await double.crash("crew", "ann");
  await untilSeen("what the lead is told", () => told[0]);
  expect(told[0]).toMatch(/^ann: ann has ended without a word: ann runs no more\.\n/);
  expect(await names()).toEqual(["team-lead"]);
  expect((await team.tasks.get(task.id)).value?.owner).toBeUndefined();
  expect(seen).toEqual(["ann ready", "ann ended"]);
  expect(toldBefore).toEqual(told);
  expect(recorded).toEqual([{ kind: "died", name: "ann", detail: "ann runs no more" }]);
});

test("the end of a teammate is seen also where its team is removed meanwhile, and no fault is told of", async () => {
  const { add, double, store, mail, told, seen } = await leadIn("default");
  await add({});
  mail.hear = async () => {
    await store.deleteTeam("crew", { evenIfActive: true });
    throw new Error("the lease of the inbox was released");
  };
  await double.crash("crew", "ann");
  await untilSeen("the end of ann", () => seen.includes("ann ended"));
  expect(told).toEqual([]);
});

test("whether a teammate works is seen as it records it, and of one that had its name before nothing", async () => {
  const { add, team, seen, recorded, heard, teammates, clock } = await leadIn("default");
  await team.join({ name: "ann", agentType: "a", model: "m", prompt: "", joinedAt: 1, cwd: "/" });
  await (await team.as("ann")).record({ kind: "idle", id: randomUUID() });
  await team.leave("ann");
  clock.now += 5;
  await add({});
  const ann = await team.as("ann");
  const turn = { kind: "turn", phase: "began" };
  for (const event of [turn, { ...turn, phase: "ended" }, turn, { kind: "idle" }]) await ann.record(event);
  await untilSeen("that ann is idle", () => seen.find((one) => one === "ann idle"));
  expect(seen).toEqual(["ann ready", "ann working", "ann idle"]);
  const byAnn = ["turn", "turn", "turn", "idle"].map((kind) => ["ann", kind]);
  const byLead = ["spawning", "message", "spawned"].map((kind) => ["team-lead", kind]);
  expect(heard).toEqual([...byLead, ...byAnn]);
  await teammates.close();
  expect(seen.at(-1)).toBe("ann ended");
  expect(recorded).toEqual([{ kind: "stopped", name: "ann", detail: "ann was ended" }]);
});

test("[ATP-LIF-009] the next process of a lead goes on with those who live, knows what they do, and its model is told of those who are gone", async () => {
  const { add, team, seen, told, names, double, next } = await leadIn("default");
  for (const name of ["ann", "bob"]) await add({ name });
  const ann = await team.as("ann");
  await ann.record({ kind: "turn", phase: "began" });
  await ann.record({ kind: "idle" });
  await untilSeen("that ann is idle", () => seen.includes("ann idle"));
  const [before] = [seen.splice(0), await double.crash("crew", "bob")];
  expect(before).toContain("bob ready");
  await untilSeen("bob's end told to the lead before", () => told.splice(0)[0]);
  await (await team.as("team-lead")).record({ kind: "spawning", name: "carol", joinedAt: 1 });
  await team.join({ name: "carol", agentType: "a", model: "m", prompt: "", joinedAt: 1, cwd: "/" });
  await team.updateMember("carol", { tmuxPaneId: "%7", backendType: "tmux" });

  const after = next();
  onTestFinished(() => after.close());
  await Promise.all([after.recover(), after.recover()]);
  await untilSeen("that ann is idle, once more", () => seen.findLast((one) => one === "ann idle"));
  expect(seen.filter((one) => one.startsWith("ann"))).toEqual(["ann ready", "ann working", "ann idle"]);
  expect(told).toEqual([expect.stringMatching(/^carol: carol has ended while nobody led the team\.\n.*carol/)]);
  expect(await names()).toEqual(["team-lead", "ann"]);
  await double.crash("crew", "ann");
  await untilSeen("the end of ann", () => seen.includes("ann ended"));
});

test("a clock that goes back behind a spawn hides nothing of what a teammate records", async () => {
  const { add, team, seen, heard, clock } = await leadIn("default");
  await add({});
  clock.now -= 60_000;
  const ann = await team.as("ann");
  await ann.record({ kind: "turn", phase: "began" });
  await ann.record({ kind: "idle" });
  await untilSeen("that ann is idle", () => seen.includes("ann idle"));
  expect(heard).toContainEqual(["ann", "idle"]);
});

test("what a further teammate records before its lead knows that it runs is seen", async () => {
  const { add, team, seen, backend } = await leadIn("default");
  await add({});
  const { spawn } = backend;
  let isHeard: Promise<unknown> = Promise.resolve();
  backend.spawn = async (...given) => {
    const bob = await team.as("bob");
    await bob.record({ kind: "idle" });
    const ann = await team.as("ann");
    await ann.record({ kind: "idle" });
    isHeard = untilSeen("what ann recorded behind it", () => seen.includes("ann idle"));
    await isHeard;
    return spawn(...given);
  };
  await add({ name: "bob" });
  await untilSeen("that bob is idle", () => seen.includes("bob idle"));
  await isHeard;
});

test("a teammate that waits for an answer about a call or a plan is seen to need input, and to work again once it has it", async () => {
  const { add, team, seen } = await leadIn("default");
  await add({});
  const ann = await team.as("ann");
  const asked = { kind: "permission", id: "p1", phase: "asked" };
  for (const event of [{ kind: "turn", phase: "began" }, asked, { ...asked, phase: "allowed" }, { kind: "idle" }])
    await ann.record(event);
  await untilSeen("that ann is idle", () => seen.includes("ann idle"));
  expect(seen).toEqual(["ann ready", "ann working", "ann needs_input", "ann working", "ann idle"]);
});
