import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codecFor, layoutOf, revisions } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { mailOf, mate, teamDraft, test } from "../../../test/scratch.ts";
import type { Team } from "../../store.ts";
import { examine, mend } from "../doctor.ts";
import { openFileStore } from "../file-store.ts";
import { examineTasks } from "./references.ts";

const limits = { deadlineMs: 60, staleMs: 10_000 };
const pathOf = (id: string) => `tasks/t/${id}.json`;
const read = (root: string, id: string) => JSON.parse(readFileSync(join(root, pathOf(id)), "utf8"));
const age = (root: string, id: string) => utimesSync(join(root, pathOf(id)), 1, 1);
/** The remains of another writer, or of a crash between two writes, from a while ago. */
function put(root: string, id: string, fields: object): void {
  writeFileSync(join(root, pathOf(id)), JSON.stringify({ ...read(root, id), ...fields }));
  age(root, id);
}
const told = (findings: readonly { kind: string; path: string; message: string }[]) =>
  findings.map(({ kind, path, message }) => `${kind} ${path}: ${message}`);
const outcomes = (mendings: readonly { kind: string; path: string; isMended: boolean }[]) =>
  mendings.map(({ kind, path, isMended }) => [kind, path, isMended]);

describe.each(revisions)("%s", (revision) => {
  const make = async (root: string, count: number): Promise<Team> => {
    const team = await openFileStore({ root }).createTeam({ ...teamDraft, revision });
    await team.join(mate("alice"));
    for (let n = 1; n <= count; n += 1) {
      await team.tasks.create({ subject: `Task ${n}`, description: "d" });
      age(root, String(n));
    }
    return team;
  };

  test("an edge that stands on one side only is told once, and mended on the other", async ({ root }) => {
    await make(root, 4);
    put(root, "1", { blocks: ["2"], of: "tomorrow" });
    put(root, "4", { blockedBy: ["3"] });
    expect(told(await examine({ root }))).toEqual([
      "edge_half tasks/t/1.json: says that task 2 waits for 1; the other of the two does not",
      "edge_half tasks/t/4.json: says that task 4 waits for 3; the other of the two does not",
    ]);
    expect((await mend({ root })).map(({ isMended }) => isMended)).toEqual([true, true]);
    expect(["1", "2", "3", "4"].map((id) => [read(root, id).blocks, read(root, id).blockedBy])).toEqual([
      [["2"], []],
      [[], ["1"]],
      [["4"], []],
      [[], ["3"]],
    ]);
    expect(read(root, "1").of).toBe("tomorrow");
    for (const id of ["1", "2", "3", "4"]) age(root, id);
    expect(await mend({ root })).toEqual([]);
  });

  test("half an edge is nothing to tell while either of its tasks has just changed", async ({ root }) => {
    await make(root, 2);
    put(root, "1", { blocks: ["2"] });
    for (const id of ["1", "2"]) {
      utimesSync(join(root, pathOf(id)), new Date(), new Date());
      expect(await examine({ root })).toEqual([]);
      age(root, id);
    }
    expect(await examine({ root })).toHaveLength(1);
  });

  test("what completing a task leaves on one side is damage only where completing leaves it on both", async ({
    root,
  }) => {
    await make(root, 2);
    put(root, "1", { blocks: ["2"], status: "completed" });
    const found = revision === "2026-11" ? [["edge_half", "tasks/t/1.json", true]] : [];
    expect(outcomes(await mend({ root }))).toEqual(found);
  });

  test("a task that is not there, or a tombstone, is taken out of those that name it, and of nothing else", async ({
    root,
  }) => {
    const team = await make(root, 5);
    await team.tasks.update("1", { addBlocks: ["2"] });
    put(root, "1", { blocks: ["9", "2", "4"] });
    put(root, "2", { blockedBy: ["1", "12"] });
    put(root, "3", { blocks: ["9"], blockedBy: ["9"], status: "completed" });
    put(root, "4", { status: "deleted", blocks: ["5"] });
    const found = await mend({ root });
    expect(told(found)).toEqual([
      "reference_dangling tasks/t/1.json: names task 9 as a dependency, which is not there",
      "reference_dangling tasks/t/1.json: names task 4 as a dependency, which is not there",
      "reference_dangling tasks/t/2.json: names task 12 as a dependency, which is not there",
      "reference_dangling tasks/t/3.json: names task 9 as a dependency, which is not there",
    ]);
    expect(found.every(({ isMended }) => isMended)).toBe(true);
    expect(["1", "2", "3", "4", "5"].map((id) => [read(root, id).blocks, read(root, id).blockedBy])).toEqual([
      [["2"], []],
      [[], ["1"]],
      [[], []],
      [["5"], []],
      [[], []],
    ]);
    for (const id of ["1", "2", "3"]) age(root, id);
    expect(await mend({ root })).toEqual([]);
  });

  test("[ATP-TSK-106] a task of somebody who is no member is told and given back, one that is done or bookkeeping is not", async ({
    root,
  }) => {
    await make(root, 6);
    put(root, "1", { owner: "bob", status: "in_progress" });
    put(root, "2", { owner: "bob" });
    put(root, "3", { owner: "bob", status: "completed" });
    put(root, "4", { owner: "bob", metadata: { _internal: true } });
    put(root, "5", { owner: "Alice", status: "in_progress" });
    put(root, "6", { owner: "alice@t", status: "in_progress" });
    mkdirSync(join(root, "teams/t/inboxes"));
    writeFileSync(join(root, "teams/t/inboxes/bob.json"), "[]");
    const findings = await examine({ root });
    expect(told(findings.filter(({ kind }) => kind !== "document_faulty"))).toEqual([
      'reference_dangling tasks/t/1.json: belongs to "bob", who is no member',
      'reference_dangling tasks/t/2.json: belongs to "bob", who is no member',
    ]);
    await mend({ root });
    expect(["1", "2", "3", "4", "5", "6"].map((id) => [read(root, id).owner, read(root, id).status])).toEqual([
      [undefined, "pending"],
      [undefined, "pending"],
      ["bob", "completed"],
      ["bob", "pending"],
      ["Alice", "in_progress"],
      ["alice@t", "in_progress"],
    ]);
    for (const id of ["1", "2"]) age(root, id);
    expect(outcomes(await mend({ root }))).toEqual([["document_faulty", pathOf("6"), false]]);
    expect(readFileSync(join(root, "teams/t/inboxes/bob.json"), "utf8")).toBe("[]");
  });

  test("a task that has just changed is not judged: its owner may be about to join", async ({ root }) => {
    await make(root, 1);
    put(root, "1", { owner: "bob", blocks: ["9"] });
    utimesSync(join(root, pathOf("1")), new Date(), new Date());
    expect(await examine({ root })).toEqual([]);
    age(root, "1");
    expect(await examine({ root })).toHaveLength(2);
  });

  test("[ATP-TSK-111] edges to a task that cannot be read or rewritten are neither dangling nor completed", async ({
    root,
  }) => {
    await make(root, 3);
    put(root, "1", { blocks: ["2", "3"] });
    writeFileSync(join(root, pathOf("2")), "{");
    writeFileSync(join(root, pathOf("3")), `{"n": 12345678901234567890, ${JSON.stringify(read(root, "3")).slice(1)}`);
    for (const id of ["2", "3"]) age(root, id);
    expect(outcomes(await mend({ root }))).toEqual([
      ["document_corrupt", pathOf("2"), false],
      ["document_corrupt", pathOf("3"), false],
    ]);
    expect(read(root, "1").blocks).toEqual(["2", "3"]);
  });

  test("a task that has come since, or whose owner has joined since, is left as it is", async ({ root }) => {
    const team = await make(root, 1);
    put(root, "1", { blocks: ["9"], owner: "bob", status: "in_progress" });
    const codec = codecFor(revision);
    const readTeam = () => codec.readTeam(readFileSync(join(root, "teams/t/config.json")), "t").value;
    const deps = { layout: layoutOf(root).team("t"), codec, limits, readTeam };
    const cures = [];
    for await (const { kind, cure } of examineTasks(deps)) cures.push({ kind, cure });
    expect(cures.map(({ kind }) => kind)).toEqual(["reference_dangling", "reference_dangling"]);
    writeFileSync(
      join(root, pathOf("9")),
      JSON.stringify({ ...read(root, "1"), id: "9", owner: undefined, blocks: [] }),
    );
    await team.join(mate("bob"));
    for (const { cure } of cures) await cure?.();
    expect(read(root, "1")).toMatchObject({ blocks: ["9"], owner: "bob", status: "in_progress" });
  });

  test("what somebody has locked is left with the reason, and mended the next time", async ({ root }) => {
    await make(root, 2);
    put(root, "1", { blocks: ["2"] });
    const lock = join(root, `${pathOf("2")}.lock`);
    mkdirSync(lock);
    expect(await mend({ root, limits })).toMatchObject([
      { kind: "edge_half", isMended: false, reason: expect.stringContaining("2.json is locked") },
    ]);
    rmSync(lock, { recursive: true });
    expect(outcomes(await mend({ root, limits }))).toEqual([["edge_half", pathOf("1"), true]]);
  });

  test("mending beside those who work loses nothing of theirs", async ({ root }) => {
    const team = await make(root, 8);
    const members = Array.from({ length: 4 }, (_, n) => `m${n}`);
    for (const name of members) await team.join(mate(name));
    const damage = () => {
      writeFileSync(join(root, "teams/t/inboxes/lost.json"), "[");
      writeFileSync(join(root, "teams/t/inboxes/m0.json.tmp.0123abcd"), "[");
      for (const ended of ["teams/t/inboxes/lost.json", "teams/t/inboxes/m0.json.tmp.0123abcd"])
        utimesSync(join(root, ended), 1, 1);
    };
    await (await team.as("m0")).send("m1", { text: "first" });
    damage();
    const isDone = { value: false };
    const doctor = (async () => {
      const seen = [];
      while (!isDone.value) seen.push(...(await mend({ root, limits: { deadlineMs: 5_000, staleMs: 10_000 } })));
      return seen;
    })();
    const work = members.map(async (name) => {
      const self = await team.as(name);
      for (let n = 0; n < 25; n += 1) {
        await self.send("alice", { text: `${name} ${n}` });
        await team.tasks.update(String(1 + (n % 8)), { metadata: { [`${name} ${n}`]: true } });
        if (name === "m0" && n % 5 === 0) damage();
      }
    });
    await Promise.all(work).finally(() => {
      isDone.value = true;
    });
    const seen = await doctor;
    expect(seen.filter(({ isMended }) => !isMended)).toEqual([]);
    expect(new Set(seen.map(({ kind }) => kind))).toEqual(new Set(["document_corrupt", "temporary_orphaned"]));
    const all = members.flatMap((name) => Array.from({ length: 25 }, (_, n) => `${name} ${n}`)).sort();
    expect((await mailOf(team, "alice")).map(({ entry }) => entry.text).sort()).toEqual(all);
    const { tasks } = await team.tasks.list();
    expect(tasks.flatMap(({ metadata }) => Object.keys(metadata ?? {})).sort()).toEqual(all);
  });
});

test("a list without a team is mended by the rules of the revision that leaves such lists, and anybody may own its tasks", async ({
  root,
}) => {
  const name = "b7f5edcc-898c-4e36-983f-1c2e8fec7d28";
  const tasks = openFileStore({ root }).tasksOfSession(name);
  for (const subject of ["one", "two"]) await tasks.create({ subject, description: "d" });
  await tasks.update("1", { owner: "anybody", status: "completed" });
  const path = join(root, `tasks/${name}/2.json`);
  writeFileSync(
    path,
    JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), owner: "bob", blockedBy: ["1", "9"] }),
  );
  for (const id of ["1", "2"]) utimesSync(join(root, `tasks/${name}/${id}.json`), 1, 1);
  expect(outcomes(await mend({ root }))).toEqual([
    ["edge_half", `tasks/${name}/2.json`, true],
    ["reference_dangling", `tasks/${name}/2.json`, true],
  ]);
  expect((await tasks.get("2")).value).toMatchObject({ owner: "bob", blockedBy: ["1"] });
  expect((await tasks.get("1")).value).toMatchObject({ blocks: ["2"], status: "completed" });
});
