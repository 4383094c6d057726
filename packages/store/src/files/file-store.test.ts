import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { layoutOf, revisions, sessionTeamName } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { mate, teamDraft, test, waitingFor } from "../../test/scratch.ts";
import type { Team } from "../store.ts";
import { openFileStore } from "./file-store.ts";

describe.each(revisions)("%s", (revision) => {
  const make = (root: string) => openFileStore({ root }).createTeam({ ...teamDraft, revision });

  test("[TEAM-04] [ATP-CFG-006] [ATP-FS-004] a team that is made has its config with the lead alone, its task directory and no inbox", async ({
    root,
  }) => {
    const team = await make(root);
    expect(team.form).toBe(revision);
    expect((await team.config()).value?.members.map(({ name }) => name)).toEqual(["team-lead"]);
    expect(readdirSync(join(root, "teams/t"))).toEqual(["config.json"]);
    expect(readdirSync(join(root, "tasks/t"))).toEqual(revision === "2026-02" ? [".lock"] : []);
    expect(await openFileStore({ root }).listTeams()).toEqual(["t"]);
  });

  test("[ATP-CFG-007] a team that exists is not made again, and nothing of it is touched", async ({ root }) => {
    await make(root);
    const before = readFileSync(join(root, "teams/t/config.json"), "utf8");
    await expect(make(root)).rejects.toMatchObject({ code: "team_exists" });
    expect(readFileSync(join(root, "teams/t/config.json"), "utf8")).toBe(before);
  });

  test("[ATP-CFG-011] a session leads one team at the most, and what is refused leaves nothing behind", async ({
    root,
  }) => {
    await make(root);
    const store = openFileStore({ root });
    await expect(store.createTeam({ ...teamDraft, name: "other", revision })).rejects.toMatchObject({
      code: "session_leading",
      message: expect.stringContaining("leads t already"),
    });
    expect([readdirSync(join(root, "teams")), readdirSync(join(root, "tasks"))]).toEqual([["t"], ["t"]]);
    await store.deleteTeam("t");
    await store.createTeam({ ...teamDraft, name: "other", revision });
    expect(await store.listTeams()).toEqual(["other"]);
  });

  test("of eight teams that one session makes at once, one comes to be", async ({ root }) => {
    const store = openFileStore({ root });
    const names = Array.from({ length: 8 }, (_, n) => `t${n}`);
    const ends = await Promise.allSettled(names.map((name) => store.createTeam({ ...teamDraft, name, revision })));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(readdirSync(join(root, "teams"))).toEqual(await store.listTeams());
  });

  test("of eight that make one team at once, one does", async ({ root }) => {
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => make(root)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("[ATP-SND-008] [INBOX-16] [ATP-INB-011] members write to one another under their own name and colour", async ({
    root,
  }) => {
    const team = await make(root);
    for (const name of ["alice", "bob"]) await team.join(mate(name));
    const alice = await team.as("alice");
    expect(existsSync(join(root, "teams/t/inboxes"))).toBe(false);
    await alice.send("bob", { text: "hello", summary: "s" });
    await alice.send("TEAM-LEAD", { text: "ready", summary: "s" });
    expect((await waitingFor(team, "bob")).map(({ entry }) => [entry.from, entry.color, entry.text])).toEqual([
      ["alice", "blue", "hello"],
    ]);
    expect(readdirSync(join(root, "teams/t/inboxes")).sort()).toEqual(["bob.json", "team-lead.json"]);
  });

  test("[ATP-SND-002] a recipient outside the team is refused with the names inside it, and leaves no trace", async ({
    root,
  }) => {
    const team = await make(root);
    const lead = await team.as("team-lead");
    await expect(lead.send("nobody", { text: "hi" })).rejects.toMatchObject({
      code: "recipient_unknown",
      message: expect.stringContaining("team-lead"),
    });
    expect(existsSync(join(root, "teams/t/inboxes"))).toBe(false);
    await expect(team.as("nobody")).rejects.toMatchObject({ code: "member_unknown" });
  });

  test("[TASK-13] tasks are shared by everybody who opens the team, and an owner must be a member", async ({
    root,
  }) => {
    const team = await make(root);
    const again = await openFileStore({ root }).openTeam("t");
    const task = await team.tasks.create({ subject: "s", description: "d" });
    expect(await again?.tasks.claim(task.id, "team-lead")).toMatchObject({ outcome: "claimed" });
    await expect(team.tasks.update(task.id, { owner: "stranger" })).rejects.toMatchObject({ code: "member_unknown" });
  });

  test("[ATP-LIF-008] [TEAM-05] [ATP-FS-105] a team ends when nobody but the lead is left, with its tasks or without, as its revision has it", async ({
    root,
  }) => {
    const store = openFileStore({ root });
    const team = await make(root);
    await team.join(mate("alice"));
    await team.tasks.create({ subject: "s", description: "d" });
    await expect(store.deleteTeam("t")).rejects.toMatchObject({
      code: "team_active",
      message: expect.stringContaining("alice"),
    });
    await team.leave("alice");
    await store.deleteTeam("t");
    expect(readdirSync(join(root, "teams"))).toEqual([]);
    expect(existsSync(join(root, "tasks/t/1.json"))).toBe(revision === "2026-11");
    expect(await store.openTeam("t")).toBeUndefined();
    await store.deleteTeam("t");
  });

  test("[ATP-FS-014] [ATP-FS-104] what is no team is neither listed nor touched", async ({ root }) => {
    await make(root);
    const remains = layoutOf(root).deletedTeam("t", "e132a923-0d1e-4a56-9f0a-d9451b749ac2");
    for (const directory of [remains, join(root, "teams/empty"), join(root, "projects")])
      mkdirSync(directory, { recursive: true });
    writeFileSync(join(remains, "config.json"), "{}");
    writeFileSync(join(root, "teams/notes.txt"), "");
    expect(await openFileStore({ root }).listTeams()).toEqual(["t"]);
    expect(await openFileStore({ root }).openTeam("notes.txt")).toBeUndefined();
    await openFileStore({ root }).createTeam({ ...teamDraft, name: "u", leadSessionId: crypto.randomUUID(), revision });
    await openFileStore({ root }).deleteTeam("t");
    expect(readdirSync(root).sort()).toEqual(expect.arrayContaining(["projects", "teams"]));
    expect(existsSync(join(remains, "config.json"))).toBe(true);
  });
});

test("[ATP-FS-101] [ATP-FS-106] a session that leads has its implicit team, with an empty task directory", async ({
  root,
}) => {
  const name = sessionTeamName(teamDraft.leadSessionId);
  await openFileStore({ root }).createTeam({ ...teamDraft, name, revision: "2026-11" });
  expect(readdirSync(join(root, "teams"))).toEqual(["session-b7f5edcc"]);
  expect(readdirSync(join(root, "tasks/session-b7f5edcc"))).toEqual([]);
  const team = await openFileStore({ root }).openTeam(name);
  await team?.tasks.create({ subject: "s", description: "d" });
  expect(readdirSync(join(root, "tasks/session-b7f5edcc")).sort()).toEqual([".lock", "1.json"]);
});

test("[ATP-FS-102] a session without a team keeps its tasks under its own id", async ({ root }) => {
  const store = openFileStore({ root });
  const tasks = store.tasksOfSession(teamDraft.leadSessionId);
  await tasks.create({ subject: "s", description: "d" });
  expect(await tasks.claim("1", "anybody")).toMatchObject({ outcome: "claimed" });
  expect(readdirSync(join(root, "tasks", teamDraft.leadSessionId)).sort()).toEqual([".lock", "1.json"]);
  expect(await store.listTeams()).toEqual([]);
});

test("[ATP-FS-103] [ATP-FS-009] [ATP-FS-010] nobody meets a team half gone, however much there is to remove", async ({
  root,
}) => {
  const store = openFileStore({ root });
  const team = await store.createTeam(teamDraft);
  await Promise.all(Array.from({ length: 200 }, () => team.tasks.create({ subject: "s", description: "d" })));
  await (await team.as("team-lead")).send("team-lead", { text: "note" });
  mkdirSync(join(root, "teams/broken"));
  writeFileSync(join(root, "teams/broken/config.json"), "{");
  const watching = new Worker(
    `const { existsSync } = require("node:fs");
    const { parentPort, workerData: team } = require("node:worker_threads");
    parentPort.postMessage("looking");
    let halves = 0;
    while (existsSync(team)) if (!existsSync(team + "/inboxes/team-lead.json") && existsSync(team)) halves += 1;
    parentPort.postMessage(halves);`,
    { eval: true, workerData: join(root, "teams/t") },
  );
  await once(watching, "message");
  const looked = once(watching, "message");
  await store.deleteTeam("t");
  expect(await looked).toEqual([0]);
  expect([readdirSync(join(root, "teams")), readdirSync(join(root, "tasks"))]).toEqual([["broken"], []]);
});

test.each(["deleteTeam", "createTeam"] as const)(
  "a removal that was cut short between the team and its tasks is finished by %s, and nobody inherits them",
  async (next) => {
    const root = mkdtempSync(join(tmpdir(), "troupe-store-"));
    const store = openFileStore({ root });
    const team = await store.createTeam(teamDraft);
    await team.tasks.create({ subject: "s", description: "d" });
    const remains = layoutOf(root).deletedTeam("t", "e132a923-0d1e-4a56-9f0a-d9451b749ac2");
    renameSync(join(root, "teams/t"), remains);
    if (next === "deleteTeam") await store.deleteTeam("t");
    else expect((await (await store.createTeam(teamDraft)).tasks.list()).tasks).toEqual([]);
    expect(readdirSync(join(root, "teams"))).toEqual(next === "deleteTeam" ? [] : ["t"]);
    expect(existsSync(join(root, "tasks/t/1.json"))).toBe(false);
    rmSync(root, { recursive: true });
  },
);

test("[ATP-FS-015] a plan is kept as it was written, under a name of its own", async ({ root }) => {
  const store = openFileStore({ root });
  await store.savePlan("quiet-mending-otter", "# Plan\n\n1. Ümlaut\n");
  await store.savePlan("quiet-mending-otter", "# Plan\n\n2. 🙂\n");
  expect(readFileSync(join(root, "plans/quiet-mending-otter.md"), "utf8")).toBe("# Plan\n\n2. 🙂\n");
  expect(await store.readPlan("quiet-mending-otter")).toBe("# Plan\n\n2. 🙂\n");
  expect(await store.readPlan("another")).toBeUndefined();
  await expect(store.savePlan("../escape", "x")).rejects.toMatchObject({ code: "path_escaping" });
  expect(readdirSync(join(root, "plans"))).toEqual(["quiet-mending-otter.md"]);
});

test("[ATP-FS-008] nothing is touched outside the root, and a name that leads there is refused", async ({ root }) => {
  const store = openFileStore({ root });
  for (const attempt of [
    () => store.openTeam("../x"),
    () => store.deleteTeam("../../etc"),
    () => store.createTeam({ ...teamDraft, name: "a/b" }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: "name_invalid" });
  }
  expect(readdirSync(root)).toEqual([]);
});

test("a team in a form between the revisions is opened, read and never written", async ({ root }) => {
  const store = openFileStore({ root });
  await store.createTeam(teamDraft);
  mkdirSync(join(root, "teams/t/inboxes"));
  writeFileSync(
    join(root, "teams/t/inboxes/team-lead.json"),
    '[{"from":"a","text":"t","timestamp":"2026-02-13T10:45:20Z","type":"message","read":false}]',
  );
  const team = await store.openTeam("t");
  expect(team?.form).toBe("between");
  expect(await waitingFor(team as Team, "team-lead")).toHaveLength(1);
  await expect(team?.join(mate("alice"))).rejects.toMatchObject({ code: "revision_read_only" });
  const lead = await team?.as("team-lead");
  await expect(lead?.receive()).rejects.toMatchObject({ code: "revision_read_only" });
  expect(readdirSync(join(root, "teams/t/inboxes")), "no trace of a lease").toEqual(["team-lead.json"]);
});

test.each([
  ["staleMs", { deadlineMs: 1_000, staleMs: 0 }],
  ["deadlineMs", { deadlineMs: Number.NaN, staleMs: 10_000 }],
] as const)("a store with a %s by which nobody could wait is refused when it is opened", (field, limits) => {
  expect(() => openFileStore({ root: "unused", limits })).toThrow(
    expect.objectContaining({ code: "arguments_invalid", details: { field, value: limits[field] } }),
  );
});
