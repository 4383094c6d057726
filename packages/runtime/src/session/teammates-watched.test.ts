import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { leadIn } from "../../test/lead-in.ts";

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
