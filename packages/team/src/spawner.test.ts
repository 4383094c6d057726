import type { Revision } from "@troupe/protocol";
import { describe, expect, test } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { crew } from "../test/crew.ts";
import type { Backend } from "./backend.ts";
import { createSpawner, wasSpawned } from "./spawner.ts";
import { backendDouble } from "./testing/index.ts";

const { signal } = new AbortController();
const spec = {
  name: "carol",
  revision: "2026-11" as Revision,
  leadSessionId: "s",
  agentType: "worker",
  model: "m",
  prompt: "go",
  mode: "default" as const,
  planModeRequired: true,
  cwd: "/p",
  environment: {},
};

/** The team of `crew`. */
const crewRef = { team: "crew", teamCreatedAt: 1_770_000_000_000 };

async function start(...names: readonly string[]) {
  const { team } = await crew("2026-11", ...names);
  const double = backendDouble("tmux");
  const backend = await double.open();
  const calls: string[] = [];
  const entries: (object | undefined)[] = [];
  const heard: Backend = {
    ...backend,
    async spawn(one, over) {
      const members = (await team.config()).value?.members ?? [];
      entries.push(members.at(-1));
      calls.push(`spawn of ${members.map(({ name }) => name).join()} in ${one.color}`);
      return backend.spawn(one, over);
    },
  };
  const self = await team.as("team-lead");
  const deps = { self, now: () => new Date(1_770_000_000_001), graceMs: 10 };
  const spawnerOf = (of = team, backends: readonly Backend[] = [heard]) =>
    createSpawner({ ...deps, team: of, backends });
  const roster = async () => ((await team.config()).value?.members ?? []).map(({ name }) => name);
  const entryOf = async (name: string) => (await team.config()).value?.members.find((one) => one.name === name);
  return { team, double, backend, calls, spawnerOf, spawner: spawnerOf(), roster, entryOf, entries };
}

describe("a spawner", () => {
  test("[ATP-MEM-103] adds the roster entry before anything runs, in the colour of which the teammate is started, and says in a second write where it runs", async () => {
    const { spawner, calls, double, entryOf, entries } = await start();
    const { one } = await spawner.spawn(spec, "tmux", signal);
    expect(entries).toMatchObject([{ name: "carol", tmuxPaneId: "" }]);
    expect(entries[0]).not.toHaveProperty("backendType");
    const entry = await entryOf("carol");
    expect(calls).toEqual([`spawn of team-lead,carol in ${entry?.color}`]);
    expect(entry).toMatchObject({ backendType: "tmux", tmuxPaneId: one.pane, planModeRequired: true, prompt: "go" });
    expect(await double.running("crew")).toEqual(["carol"]);
  });

  test("[LIFE-05] makes a member in this order: its entry with its prompt, its prompt in its inbox, the pane, and the pane in the entry", async () => {
    const { team, backend, entryOf, spawnerOf } = await start();
    const steps: unknown[] = [];
    const inbox = async () => ((await team.mail("carol").page()).value ?? []).map(({ entry }) => entry.text);
    const note = async (step: string) => {
      const { prompt, tmuxPaneId, backendType } = (await entryOf("carol")) ?? {};
      steps.push([step, prompt, tmuxPaneId, backendType, await inbox()]);
    };
    const noting: Backend = {
      ...backend,
      async spawn(one, over) {
        await note("before it runs");
        const spawned = await backend.spawn(one, over);
        await note("it runs");
        return spawned;
      },
    };
    const { pane } = (await spawnerOf(team, [noting]).spawn(spec, "tmux", signal)).one;
    await note("it is written down");
    expect(steps).toEqual([
      ["before it runs", "go", "", undefined, ["go"]],
      ["it runs", "go", "", undefined, ["go"]],
      ["it is written down", "go", pane, "tmux", ["go"]],
    ]);
  });

  test("takes the entry out again where a teammate does not become ready, is given up, or cannot be written down; nothing runs then", async () => {
    const { team, spawner, spawnerOf, double, roster } = await start();
    await expect(spawner.spawn({ ...spec, ...double.failing }, "tmux", signal)).rejects.toThrow("did not become ready");
    await expect(spawner.spawn(spec, "tmux", AbortSignal.abort())).rejects.toThrow();
    const full = { ...team, updateMember: () => Promise.reject(new Error("no space is left")) };
    await expect(spawnerOf(full).spawn(spec, "tmux", signal)).rejects.toThrow("no space is left");
    expect(await roster()).toEqual(["team-lead"]);
    expect(await double.running("crew")).toEqual([]);
  });

  test.each(["2026-02", "2026-11"] as const)(
    "leaves no task of a failed start to the next one of its name (%s)",
    async (revision) => {
      const { team } = await crew(revision);
      const double = backendDouble("tmux");
      const [self, backend] = [await team.as("team-lead"), await double.open()];
      const spawner = createSpawner({ team, self, backends: [backend], now: () => new Date(), graceMs: 10 });
      await expect(spawner.spawn({ ...spec, revision, ...double.failing }, "tmux", signal)).rejects.toThrow();
      await spawner.spawn({ ...spec, revision, prompt: "the second" }, "tmux", signal);
      const mail = await (await team.as(spec.name)).receive();
      expect((await mail.take()).map(({ entry }) => entry.text)).toEqual(["the second"]);
    },
  );

  test("names the backends there are where one is asked for that is none, and adds nobody", async () => {
    const { spawner, roster } = await start();
    await expect(spawner.spawn(spec, "screen", signal)).rejects.toMatchObject({
      code: "arguments_invalid",
      message: 'no backend is called "screen": choose one of tmux',
    });
    expect(await roster()).toEqual(["team-lead"]);
  });

  test("leaves a teammate alone whose name somebody else asks for", async () => {
    const { spawner, roster, double } = await start("alice");
    await spawner.spawn(spec, "tmux", signal);
    await expect(spawner.spawn(spec, "tmux", signal)).rejects.toMatchObject({ code: "name_taken" });
    await expect(spawner.spawn({ ...spec, name: "alice" }, "tmux", signal)).rejects.toMatchObject({
      code: "name_taken",
    });
    expect(await roster()).toEqual(["team-lead", "alice", "carol"]);
    expect(await double.running("crew")).toEqual(["carol"]);
  });

  test("stops what runs under the name of a member, and nobody else", async () => {
    const { spawner, entryOf, double } = await start("alice");
    await spawner.spawn(spec, "tmux", signal);
    await spawner.spawn({ ...spec, name: "dave" }, "tmux", signal);
    for (const name of ["alice", "carol"]) {
      const entry = await entryOf(name);
      if (entry) await spawner.stop(entry);
    }
    expect(await double.running("crew")).toEqual(["dave"]);
  });

  test("ends who runs on though the roster has it no more, and nobody else; one that cannot be ended is told", async () => {
    const { team, spawner, spawnerOf, double, backend } = await start();
    for (const name of ["carol", "dave"]) await spawner.spawn({ ...spec, name }, "tmux", signal);
    await team.leave("dave");
    const stuck = { ...backend, stop: () => Promise.reject(new Error("it cannot be ended")) };
    await expect(spawnerOf(team, [stuck]).endStrays()).rejects.toThrow("it cannot be ended");
    await spawner.endStrays();
    expect(await double.running("crew")).toEqual(["carol"]);
  });

  test("takes over after a crash what runs on, ends what has no member, and takes out its own members that are gone, with their tasks", async () => {
    const { team, spawner, spawnerOf, double, roster, backend } = await start("alice");
    for (const name of ["carol", "dave"]) await spawner.spawn({ ...spec, name }, "tmux", signal);
    await backend.spawn({ ...spec, ...crewRef, name: "stray", color: undefined }, signal);
    await team.updateMember("alice", { backendType: "in-process", tmuxPaneId: "in-process" });
    const { id } = await team.tasks.create({ subject: "s", description: "" });
    await team.tasks.claim(id, "dave");
    await double.crash("crew", "dave");
    const { adopted, gone } = await spawnerOf().recover();
    expect([adopted.map(({ one }) => one.name), gone.map(({ name }) => name)]).toEqual([["carol"], ["dave"]]);
    expect(gone[0]?.words).toContain("dave has shut down. 1 task(s) were unassigned");
    expect(await roster()).toEqual(["team-lead", "alice", "carol"]);
    expect(await double.running("crew")).toEqual(["carol"]);
    expect((await team.tasks.get(id)).value?.owner).toBeUndefined();
  });

  test("ends nobody after a crash while the roster cannot be read", async () => {
    const { team, spawner, spawnerOf, double } = await start();
    await spawner.spawn(spec, "tmux", signal);
    const torn = { ...team, config: async () => ({ value: undefined, problems: [] }) };
    await expect(spawnerOf(torn).recover()).rejects.toThrow("the config of the team crew cannot be read");
    expect(await double.running("crew")).toEqual(["carol"]);
  });

  test("takes out after a crash the member whose process was never begun, and no member that joined by itself", async () => {
    const { team, spawnerOf, roster } = await start("alice");
    const killed = spawnerOf(team, [{ ...(await backendDouble("tmux").open()), spawn: () => new Promise(() => {}) }]);
    void killed.spawn(spec, "tmux", signal);
    await untilSeen("the roster entry", async () => (await roster()).includes("carol"));
    expect(await spawnerOf().recover()).toMatchObject({ adopted: [], gone: [{ name: "carol" }] });
    expect(await roster()).toEqual(["team-lead", "alice"]);
  });

  test("writes down after a crash where a member runs whose lead was killed before it could", async () => {
    const { team, spawnerOf, entryOf, double } = await start();
    const killed = spawnerOf({ ...team, updateMember: () => new Promise(() => {}) });
    void killed.spawn(spec, "tmux", signal);
    await untilSeen("the teammate", async () => (await double.running("crew")).includes("carol"));
    expect(await spawnerOf().recover()).toMatchObject({ adopted: [{ one: { name: "carol" } }], gone: [] });
    expect(await entryOf("carol")).toMatchObject({ backendType: "tmux", tmuxPaneId: "%0" });
  });

  test("the prompt is the first mail of a member whose backend does not tell it, and no mail of one that is told", async () => {
    const { team } = await start("alice");
    const self = await team.as("team-lead");
    const textsOf = async (name: string) => ((await team.mail(name).page()).value ?? []).map(({ entry }) => entry.text);
    for (const [name, tellsPrompt] of [["carol"], ["dave", true]] as const) {
      const found = await backendDouble("tmux").open();
      const backends = [{ ...found, tellsPrompt }];
      const spawner = createSpawner({ team, self, backends, now: () => new Date(1_770_000_000_001), graceMs: 10 });
      await spawner.spawn({ ...spec, name, prompt: `go, ${name}` }, "tmux", signal);
    }
    expect([await textsOf("carol"), await textsOf("dave")]).toEqual([["go, carol"], []]);
  });

  test("[ATP-MEM-012] says nothing of where a member runs that is in no pane and not beside its lead, and knows it for its own all the same", async () => {
    const { team, spawnerOf, roster, entryOf } = await start("alice");
    const { open, crash } = backendDouble("process");
    const spawner = spawnerOf(team, [await open()]);
    for (const name of ["carol", "dave"]) await spawner.spawn({ ...spec, name }, "process", signal);
    const entry = await entryOf("carol");
    expect([entry?.tmuxPaneId, entry && "backendType" in entry]).toEqual(["", false]);
    await crash("crew", "dave");
    expect(await spawner.recover()).toMatchObject({ adopted: [{ one: { name: "carol" } }], gone: [{ name: "dave" }] });
    expect(await roster()).toEqual(["team-lead", "alice", "carol"]);
  });
});

test("[ATP-MEM-106] a member was started by its lead where a lead of ours recorded it or the roster says where it runs, and else joined by itself", async () => {
  const { team, spawner } = await start("ann");
  await spawner.spawn(spec, "tmux", signal);
  const places = { tmuxPaneId: "", backendType: undefined };
  await team.updateMember("carol", places);
  expect([await wasSpawned(team, "carol"), await wasSpawned(team, "ann"), await wasSpawned(team, "dan")]).toEqual([
    true,
    false,
    false,
  ]);
  await team.updateMember("ann", { tmuxPaneId: "%3", backendType: "tmux" });
  expect(await wasSpawned(team, "ann")).toBe(true);
});
