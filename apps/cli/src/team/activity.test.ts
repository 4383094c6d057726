import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOverview } from "@troupe/store";
import { openFileStore, processHere } from "@troupe/store/files";
import { expect, onTestFinished, test } from "vitest";
import type { Call } from "../command.ts";
import { paint } from "../paint.ts";
import { activitiesIn } from "./activity.ts";
import { stateSpan } from "./overview-text.ts";
import { run } from "./show.ts";

test("troupe show says by each teammate the model that it was started with, and of one of its name before nothing", async () => {
  const root = mkdtempSync(join(tmpdir(), "troupe-show-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const draft = { name: "crew", leadSessionId: "s", leadModel: "m", createdAt: 1, cwd: "/p" };
  const team = await openFileStore({ root }).createTeam(draft);
  const lead = await team.as("team-lead");
  for (const [joinedAt, model] of [
    [1, "an-earlier-model"],
    [2, "claude-haiku-4-5"],
  ] as const) {
    await lead.record({ kind: "spawning", name: "ann", joinedAt });
    await team.join({ name: "ann", agentType: "worker", model: "inherit", prompt: "p", joinedAt, cwd: "/p" });
    await (await team.as("ann")).record({ kind: "idle" });
    await lead.record({ kind: "spawned", name: "ann", joinedAt, backend: "process", model, mode: "default" });
    if (joinedAt === 1) await team.leave("ann");
  }
  const place = { root, now: () => new Date(), environment: {}, stores: new Map() };
  const call = { ...place, args: { team: "crew" } } as unknown as Call<{ team: string }>;
  const { text = [] } = await run(call);
  const line = paint(text, { columns: Infinity, hasColor: false })
    .split("\n")
    .find((one) => one.includes("ann"));
  expect(line).toMatch(/ann +worker, claude-haiku-4-5 +idle/);
});

const crewOf = async (draft: object = {}) => {
  const root = mkdtempSync(join(tmpdir(), "troupe-show-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const store = openFileStore({ root });
  const team = await store.createTeam({
    name: "crew",
    leadSessionId: "s",
    leadModel: "m",
    createdAt: 1,
    cwd: "/p",
    revision: "2026-11",
    leadProcess: processHere(process.pid),
    ...draft,
  });
  const states = async () => {
    const overview = await readOverview(store, "crew");
    if (!overview) throw new Error("there is no team");
    const activities = await activitiesIn(
      { root, now: () => new Date(), environment: {}, stores: new Map() },
      overview,
    );
    return overview.members.map(({ member }) => {
      const activity = activities.get(member.name);
      const said = [stateSpan(member, activity), ...(activity?.line ?? [])];
      return said.map((span) => (typeof span === "string" ? span : span.text).replace(/ \d+ s$/, "")).join("");
    });
  };
  return { team, states };
};

test("a lead without a turn rests, while of a teammate the end of its turn alone does not say so", async () => {
  const { team, states } = await crewOf();
  await team.join({ name: "ann", agentType: "worker", model: "inherit", prompt: "p", joinedAt: 1, cwd: "/p" });
  const members = [await team.as("team-lead"), await team.as("ann")];
  for (const member of members) await member.record({ kind: "turn", phase: "began" });
  expect(await states()).toEqual(["working begins a turn", "working begins a turn"]);
  for (const member of members) await member.record({ kind: "turn", phase: "ended", why: "completed" });
  expect(await states()).toEqual(["idle ends its turn: completed", "working ends its turn: completed"]);
});

test("of one that waits for an answer stands there what it has asked, also once its turn has ended", async () => {
  const { team, states } = await crewOf();
  const lead = await team.as("team-lead");
  await lead.record({ kind: "plan", id: "p1", phase: "asked" });
  await lead.record({ kind: "idle" });
  expect(await states()).toEqual(["needs input hands in a plan"]);
});

test.each([
  ["was killed", { leadProcess: { ...processHere(process.pid), procStart: "of another" } }],
  ["left in order", { revision: "2026-02", leadProcess: undefined }],
])("where a lead %s and no teammate runs, their last state is not told as if it went on", async (_, draft) => {
  const { team, states } = await crewOf(draft);
  await (await team.as("team-lead")).record({ kind: "turn", phase: "began" });
  expect(await states()).toEqual(["ended begins a turn"]);
});
