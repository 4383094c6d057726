import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { leadIn } from "../../test/lead-in.ts";
import { placeAt } from "../../test/place.ts";

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

test("the next process of a lead gives back the worktrees of those that it goes on with, and of those that are gone", async () => {
  const log: string[] = [];
  const workspacesOf = (who: string) => ({
    open: async (name: string) => {
      log.push(`${who} opens ${name}`);
      const release = async () => ({ isKept: log.push(`${who} gives back ${name}`) < 0 });
      return placeAt(`/p/.claude/worktrees/${name}`, { release });
    },
  });
  const { add, double, next, teammates } = await leadIn("default", { workspaces: workspacesOf("it") });
  for (const name of ["ann", "bob"]) await add({ name }, { isolation: "worktree" });
  await add({ name: "carol" });
  const after = next({ workspaces: workspacesOf("the next") });
  onTestFinished(() => after.close());
  await after.recover();
  expect(log.slice(2)).toEqual(["the next opens agent-ann", "the next opens agent-bob"]);
  await double.crash("crew", "bob");
  await untilSeen("bob's worktree given back", () => log.includes("the next gives back agent-bob"));
  expect(log).not.toContain("the next gives back agent-ann");
  await teammates.close();
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
