import type { Team } from "@troupe/store";
import { expect, test } from "vitest";
import { crew } from "../test/crew.ts";
import { doingsIn, isAnyAtWork, readDoings, stateOf } from "./doing.ts";
import { eventIn } from "./events.ts";

async function annInCrew() {
  const { team } = await crew("2026-11", "ann");
  const ann = await team.as("ann");
  const record = async (...events: readonly object[]) => {
    for (const event of events) await ann.record(event);
  };
  const state = async () => {
    const doing = (await doingsIn(team)).get("ann");
    return doing ? stateOf(doing) : "unknown";
  };
  return { team, ann, record, state, isAtWork: (was = true) => isAnyAtWork(team, new Map([["ann", was]])) };
}

const began = { kind: "turn", phase: "began" };
const idle = { kind: "idle" };
const asked = { kind: "permission", id: "p1", phase: "asked" };

test("a member works from the begin of its turn until it rests, and before it has recorded anything", async () => {
  const { record, state, isAtWork } = await annInCrew();
  expect([await state(), await isAtWork()]).toEqual(["unknown", true]);
  await record(idle);
  expect([await state(), await isAtWork()]).toEqual(["idle", false]);
  await record(began, { kind: "turn", phase: "ended", why: "completed" });
  expect([await state(), await isAtWork()]).toEqual(["working", true]);
});

test("a member whose question is open needs input, also while it rests, until it is answered or given up", async () => {
  const { record, state, isAtWork } = await annInCrew();
  await record(began, asked);
  expect(await state()).toBe("needs_input");
  await record({ ...asked, phase: "denied" });
  expect(await state()).toBe("working");
  const plan = { kind: "plan", id: "q", phase: "asked" };
  await record(plan, idle);
  expect([await state(), await isAtWork()]).toEqual(["needs_input", false]);
  await record({ ...plan, phase: "given_up" });
  expect(await state()).toBe("idle");
});

test("a member that rests and has mail is about to work, and what one of its name did before it joined is not its", async () => {
  const { team, ann, record, state, isAtWork } = await annInCrew();
  await record(idle);
  await (await team.as("team-lead")).send("ann", { text: "Go on." });
  expect([await state(), await isAtWork()]).toEqual(["idle", true]);
  const mail = await ann.receive();
  await mail.acknowledge(new Set((await mail.take()).map(({ key }) => key)));
  await mail.release();
  expect(await isAtWork()).toBe(false);
  await team.leave("ann");
  await team.join({ name: "ann", agentType: "a", model: "m", prompt: "", joinedAt: Date.now() + 60_000, cwd: "/" });
  expect(await state()).toBe("unknown");
});

test("a member that was written to while the mail of others was looked at is about to work, though who wrote rests by then", async () => {
  const { team } = await crew("2026-11", "ann", "bob");
  const [ann, bob] = [await team.as("ann"), await team.as("bob")];
  for (const one of [ann, bob]) await one.record(idle);
  let looks = 0;
  const looked: Pick<Team, "config" | "history" | "mail"> = {
    ...team,
    mail: (name) => ({
      async page() {
        const found = await team.mail(name).page();
        looks += 1;
        if (looks > 1) return found;
        await bob.record(began);
        await bob.send("ann", { text: "Go on." });
        await bob.record(idle);
        return found;
      },
    }),
  };
  const seen = new Map(["ann", "bob"].map((name) => [name, false]));
  expect([await isAnyAtWork(looked, seen), looks]).toEqual([true, 3]);
});

test("a member that rests for longer than its team's history goes back is not at work", async () => {
  const { team, record, isAtWork } = await annInCrew();
  await record(idle);
  const lead = await team.as("team-lead");
  for (let n = 0; n < 45; n += 1) await lead.record({ kind: "of another", long: "x".repeat(500_000) });
  expect((await doingsIn(team)).has("ann")).toBe(false);
  expect([await isAtWork(true), await isAtWork(false)]).toEqual([true, false]);
});

test("a member that a lead has added is told from one of its name before by what the lead recorded, whatever the clocks say", async () => {
  const { team, record, state } = await annInCrew();
  await record(idle);
  await team.leave("ann");
  const joinedAt = 1_000;
  await (await team.as("team-lead")).record({ kind: "spawning", name: "ann", joinedAt });
  await team.join({ name: "ann", agentType: "a", model: "m", prompt: "", joinedAt, cwd: "/" });
  expect(await state()).toBe("unknown");
  await (await team.as("ann")).record(began);
  expect(await state()).toBe("working");
});

test("who is at work is read from what was recorded since the last look", async () => {
  const { team, record } = await annInCrew();
  let events = 0;
  const counted: Pick<Team, "history"> = {
    async *history(after) {
      for await (const one of team.history(after)) {
        events += 1;
        yield one;
      }
      return undefined;
    },
  };
  const read = readDoings(counted);
  const isAtWork = () => isAnyAtWork(team, new Map([["ann", true]]), read);
  for (let n = 0; n < 50; n += 1) await record(began);
  expect([await isAtWork(), events]).toEqual([true, 50]);
  await record(idle);
  expect([await isAtWork(), events]).toEqual([false, 51]);
  // So much that the place where it was read to is gone.
  for (let n = 0; n < 45; n += 1) await record({ kind: "of another", long: "x".repeat(500_000) });
  await record(began);
  expect(await isAtWork()).toBe(true);
});

test("a member that joined at a number which is no time is told of like any other", async () => {
  const { team, record, state, isAtWork } = await annInCrew();
  await team.updateMember("ann", { joinedAt: 9e15 });
  await record(idle);
  expect([await state(), await isAtWork()]).toEqual(["idle", false]);
});

test("of a person who leads by commands nobody says that they work", async () => {
  const { team } = await annInCrew();
  const lead = await team.as("team-lead");
  await lead.record({ kind: "spawning", name: "bob", joinedAt: 1 });
  await lead.send("ann", { text: "Go on." });
  await lead.tasks.create({ subject: "Read it", description: "" });
  expect((await doingsIn(team)).has("team-lead")).toBe(false);
  await lead.record(began);
  expect((await doingsIn(team)).get("team-lead")?.isAtWork).toBe(true);
});

test.each([
  { kind: "permission", id: "p1", phase: "postponed" },
  { kind: "shutdown", id: "p1", phase: "toString" },
  { kind: "turn", phase: "ended" },
  { kind: "tool", phase: "began", call: "c" },
  { kind: "toString" },
])("what another program recorded in a way of its own is no event of a team: %j", async (event) => {
  expect(eventIn({ event })).toBeUndefined();
  const { record, state } = await annInCrew();
  await record(asked, event);
  expect(await state()).toBe("needs_input");
});
