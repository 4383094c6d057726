import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { layoutOf, revisions } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { mate, teamDraft, test } from "../../test/scratch.ts";
import { examine, mend } from "./doctor.ts";
import { openFileStore } from "./file-store.ts";

const uuid = "e132a923-0d1e-4a56-9f0a-d9451b749ac2";
const put = (root: string, path: string, text = "") => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const isRunning = () => true;
/** When a directory was moved cannot be set back, only waited for. */
const brief = { deadlineMs: 1_000, staleMs: 50 };
const untilOld = async (path: string) => {
  while (Date.now() - statSync(path).ctimeMs <= brief.staleMs) await pause(5);
};
const kindsAndPaths = (findings: readonly { kind: string; path: string }[]) =>
  findings.map(({ kind, path }) => `${kind} ${path}`);
const textsBelow = (root: string) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [relative(root, path), readFileSync(path, "utf8")]);
const age = (root: string) => {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) utimesSync(join(root, name), 1, 1);
};

describe.each(revisions)("%s", (revision) => {
  test("a team in use has nothing wrong with it, young or old", async ({ root }) => {
    const store = openFileStore({ root });
    const team = await store.createTeam({ ...teamDraft, revision, leadProcess: { pid: 1 } });
    for (const name of ["alice", "bob"]) await team.join(mate(name));
    const [lead, alice] = [await team.as("team-lead"), await team.as("alice")];
    await lead.send("alice", { text: "hello", summary: "s" });
    await alice.send("team-lead", { text: "ready", summary: "s" });
    const lease = await alice.receive();
    await lease.acknowledge(new Set((await lease.take()).map(({ key }) => key)));
    await lease.release();
    for (const subject of ["one", "two", "three", "four"]) await team.tasks.create({ subject, description: "d" });
    await team.tasks.update("2", { addBlockedBy: ["1"], addBlocks: ["3"] });
    await team.tasks.claim("1", "alice");
    await team.tasks.complete("1");
    await team.tasks.update("2", { owner: "BOB" });
    await team.tasks.remove("4");
    await team.leave("alice");
    expect(await examine({ root, isRunning })).toEqual([]);
    age(root);
    expect(await examine({ root, isRunning })).toEqual([]);
  });

  test("what is wrong is told for every team, mended once, and not found again to be mended", async ({ root }) => {
    const store = openFileStore({ root });
    for (const [n, name] of ["t", "u"].entries()) {
      const session = `${n}7f5edcc-898c-4e36-983f-1c2e8fec7d28`;
      const team = await store.createTeam({ ...teamDraft, name, leadSessionId: session, revision });
      for (const subject of ["one", "two"]) await team.tasks.create({ subject, description: "d" });
      await team.tasks.update("1", { addBlocks: ["2"] });
      await team.tasks.remove("2");
      put(root, `tasks/${name}/1.json`, JSON.stringify({ ...(await team.tasks.get("1")).value, blocks: ["2"] }));
      put(root, `teams/${name}/inboxes/bob.json`, '[\n  {\n    "from": "a');
      mkdirSync(join(root, `teams/${name}/config.json.lock`));
    }
    age(root);
    const wrong = ["t", "u"].flatMap((name) => [
      `lock_stale teams/${name}/config.json.lock`,
      `document_corrupt teams/${name}/inboxes/bob.json`,
      `reference_dangling tasks/${name}/1.json`,
    ]);
    const before = textsBelow(root);
    expect(kindsAndPaths(await examine({ root }))).toEqual(wrong);
    expect(textsBelow(root)).toEqual(before);
    const mendings = await mend({ root });
    expect(kindsAndPaths(mendings)).toEqual(wrong);
    expect(mendings.filter(({ isMended }) => !isMended)).toEqual([]);
    expect(await mend({ root })).toEqual([]);
  });
});

test("[ATP-FS-014] what belongs to nobody's team is neither told nor touched, however old it is", async ({ root }) => {
  await openFileStore({ root }).createTeam(teamDraft);
  for (const path of [
    "config.json.lock/x",
    "projects/p/config.json.tmp.0123abcd",
    "plans/a.md.lock/x",
    "teams/README.md",
    "tasks/README",
    `teams/t.deleted-${uuid}`,
    "teams/t/notes.json.tmp.0123abcd",
    "teams/t/config.json.tmp.0123abcd.json",
    "teams/t/config.json.tmp.0123ABCD",
    "teams/t/config.json.bak",
    "teams/t/tasks/x",
    "teams/t/inboxes/notes.txt.lock/x",
    "teams/t/inboxes/alice.json.damaged-1",
    "teams/t/.hidden/config.json.lock/x",
    "teams/.cache/config.json.lock/x",
    "teams/t.deleted-soon/x",
    "tasks/t/notes.json.lock/x",
    "tasks/t/01.json",
  ])
    put(root, path, "{");
  mkdirSync(join(root, "teams/t/config.json.tmp.00000000"));
  age(root);
  await untilOld(join(root, `teams/t.deleted-${uuid}`));
  const before = textsBelow(root);
  expect(await mend({ root, limits: brief })).toEqual([]);
  expect(textsBelow(root)).toEqual(before);
  expect(existsSync(join(root, "teams/t/config.json.tmp.00000000"))).toBe(true);
});

test("what is left of a removed team is removed once it is old, and no team of a like name", async ({ root }) => {
  const store = openFileStore({ root });
  await store.createTeam({ ...teamDraft, name: "t.deleted-e132a923" });
  const remains = layoutOf(root).deletedTeam("t", uuid);
  put(remains, "inboxes/alice.json", "[]");
  // A move leaves the last change of a team as it was, and that may be long ago.
  age(root);
  expect(await examine({ root })).toEqual([]);
  await untilOld(remains);
  expect(kindsAndPaths(await mend({ root, limits: brief }))).toEqual([`removal_unfinished teams/t.deleted-${uuid}`]);
  expect(readdirSync(join(root, "teams"))).toEqual(["t.deleted-e132a923"]);
});

test.for(revisions)(
  "a removal that was cut short is finished as revision %s has it, with the tasks or without",
  async (revision, { root }) => {
    const team = await openFileStore({ root }).createTeam({ ...teamDraft, revision });
    await team.tasks.create({ subject: "s", description: "d" });
    const remains = layoutOf(root).deletedTeam("t", uuid);
    renameSync(join(root, "teams/t"), remains);
    await untilOld(remains);
    expect(await mend({ root, limits: brief })).toMatchObject([{ kind: "removal_unfinished", isMended: true }]);
    expect(readdirSync(join(root, "teams"))).toEqual([]);
    expect(existsSync(join(root, "tasks/t/1.json"))).toBe(revision === "2026-11");
  },
);

test("what is left of a removed team takes nothing along from a later one of its name", async ({ root }) => {
  const team = await openFileStore({ root }).createTeam(teamDraft);
  await team.tasks.create({ subject: "s", description: "d" });
  const remains = layoutOf(root).deletedTeam("t", uuid);
  cpSync(join(root, "teams/t"), remains, { recursive: true });
  await untilOld(remains);
  expect(await mend({ root, limits: brief })).toMatchObject([{ kind: "removal_unfinished", isMended: true }]);
  expect(existsSync(remains)).toBe(false);
  expect((await team.tasks.list()).tasks).toHaveLength(1);
  expect(await examine({ root })).toEqual([]);
});

test("nothing hostile stops or delays the doctor, and each such thing is told without being followed", async ({
  root,
}) => {
  const away = mkdtempSync(join(dirname(root), "troupe-away-"));
  put(away, "config.json.lock/x");
  put(away, "1.json.lock/x");
  put(away, "alice.json", "[");
  age(away);
  const store = openFileStore({ root });
  for (const [n, name] of ["pipe", "huge", "folder", "linked"].entries()) {
    const leadSessionId = `${n}7f5edcc-898c-4e36-983f-1c2e8fec7d28`;
    const team = await store.createTeam({ ...teamDraft, name, leadSessionId, revision: "2026-11" });
    await team.tasks.create({ subject: "s", description: "d" });
    mkdirSync(join(root, "teams", name, "inboxes"));
  }
  const spoil = (make: (path: string) => void, name: string) => {
    for (const file of [`teams/${name}/config.json`, `teams/${name}/inboxes/bob.json`, `tasks/${name}/1.json`]) {
      rmSync(join(root, file), { force: true });
      make(join(root, file));
    }
  };
  spoil((path) => execFileSync("mkfifo", [path]), "pipe");
  spoil((path) => mkdirSync(path), "folder");
  spoil((path) => symlinkSync(join(away, "alice.json"), path), "linked");
  spoil((path) => {
    writeFileSync(path, "");
    truncateSync(path, 600 * 1024 * 1024);
  }, "huge");
  for (const path of ["teams/away", "tasks/away"]) symlinkSync(away, join(root, path));
  mkdirSync(join(root, "teams/half"));
  symlinkSync(away, join(root, "teams/half/inboxes"));

  const spoilt = ["folder", "huge", "linked", "pipe"].map((name) => [
    `document_corrupt teams/${name}/config.json`,
    `document_corrupt teams/${name}/inboxes/bob.json`,
    `document_corrupt tasks/${name}/1.json`,
  ]);
  const findings = await mend({ root });
  expect(findings.filter(({ isMended }) => isMended)).toEqual([]);
  expect(kindsAndPaths(findings).sort()).toEqual(
    [
      ...spoilt.flat(),
      ...["teams/away", "tasks/away", "teams/half/inboxes"].map((path) => `directory_unusable ${path}`),
    ].sort(),
  );
  expect(readdirSync(away, { recursive: true }).sort()).toEqual(
    ["1.json.lock", "1.json.lock/x", "alice.json", "config.json.lock", "config.json.lock/x"].sort(),
  );
  rmSync(away, { recursive: true });
});

test("a root may be empty, absent or a link; a link in place of teams/ or tasks/ is told and not followed", async ({
  root,
}) => {
  expect(await examine({ root })).toEqual([]);
  expect(await examine({ root: join(root, "absent") })).toEqual([]);
  mkdirSync(join(root, "real/teams/t"), { recursive: true });
  put(root, "real/teams/t/config.json.lock/x");
  age(root);
  symlinkSync(join(root, "real"), join(root, "link"));
  expect(kindsAndPaths(await examine({ root: join(root, "link") }))).toEqual(["lock_stale teams/t/config.json.lock"]);
  put(root, "real/teams/t/1.json.lock/x");
  age(root);
  for (const [linked, own] of [
    ["teams", "tasks"],
    ["tasks", "teams"],
  ] as const) {
    mkdirSync(join(root, `${own} of its own`, own, "t"), { recursive: true });
    symlinkSync(join(root, "real/teams"), join(root, `${own} of its own`, linked));
    const findings = await mend({ root: join(root, `${own} of its own`) });
    expect(kindsAndPaths(findings)).toEqual([`directory_unusable ${linked}`]);
  }
  expect(readdirSync(join(root, "real/teams/t")).sort()).toEqual(["1.json.lock", "config.json.lock"]);
});

const corpus = join(import.meta.dirname, "../../../protocol/corpus/client");
const scenes = ["2.1.41", "2.1.118", "2.1.326"].flatMap((version) =>
  readdirSync(join(corpus, version)).map((scene) => ({ version, scene, folder: join(corpus, version, scene) })),
);

describe.each(scenes)("what client $version left in $scene", ({ scene, version, folder }) => {
  test("is sound, but for the temporary files that were caught before their rename", async ({ root }) => {
    for (const file of readdirSync(folder).filter((name) => /^[0-9]/.test(name))) {
      const path = join(root, file.replace(/^[0-9]+-/, "").replaceAll("__", "/"));
      mkdirSync(dirname(path), { recursive: true });
      cpSync(join(folder, file), path);
    }
    // The client removed a task here: a recording holds what was written only.
    const gone = { tasks: "2.json", "in-process": "3.json" }[scene];
    if (version === "2.1.326" && gone)
      for (const team of readdirSync(join(root, "tasks"))) rmSync(join(root, "tasks", team, gone));
    age(root);
    const findings = await examine({ root, isRunning });
    expect(findings.filter(({ kind }) => kind !== "temporary_orphaned")).toEqual([]);
    expect(findings).toHaveLength(readdirSync(folder).filter((name) => name.includes(".tmp.")).length);
    expect(
      new Set(
        (await examine({ root, isRunning: () => false }))
          .map(({ kind }) => kind)
          .filter((kind) => kind !== "temporary_orphaned"),
      ),
    ).toEqual(new Set(version === "2.1.326" ? ["member_gone"] : []));
    expect((await mend({ root, isRunning })).every(({ isMended }) => isMended)).toBe(true);
    expect(readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".tmp."))).toEqual(
      [],
    );
  });
});
