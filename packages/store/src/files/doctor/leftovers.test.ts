import {
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { teamDraft, test } from "../../../test/scratch.ts";
import { examine, mend } from "../doctor.ts";
import { openFileStore } from "../file-store.ts";
import { takeLease, withLock } from "../lock.ts";
import { leftoversIn } from "./cases.ts";

/** For what waits in vain: a busy machine may need longer to take a guard and its lock away. */
const limits = { deadlineMs: 60, staleMs: 10_000 };
const aged = (path: string, ms: number) => lutimesSync(path, (Date.now() - ms) / 1_000, (Date.now() - ms) / 1_000);
const documents = ["teams/t/config.json", "teams/t/inboxes/team-lead.json", "tasks/t/.lock", "tasks/t/1.json"];
/** A team with one document of each kind, and the same beside each of them. */
async function beside(root: string, endings: readonly string[], make: (path: string) => void): Promise<string[]> {
  const team = await openFileStore({ root }).createTeam(teamDraft);
  await (await team.as("team-lead")).send("team-lead", { text: "note" });
  await team.tasks.create({ subject: "s", description: "d" });
  const paths = documents.flatMap((file) => endings.map((ending) => `${file}${ending}`));
  for (const path of paths) make(join(root, path));
  return paths;
}
const all = (root: string) => readdirSync(root, { recursive: true, encoding: "utf8" }).sort();

test("[ATP-LCK-006] [ATP-LCK-004] locks older than the limit and what guards them are told and taken away, the file that rests is not", async ({
  root,
}) => {
  await beside(root, [], () => {});
  const sound = all(root);
  for (const file of [...documents, "teams/t/inboxes/team-lead.json.consumer", "teams"]) {
    for (const ending of [".lock", ".lock.break"]) {
      mkdirSync(join(root, `${file}${ending}/what/it/holds`), { recursive: true });
      aged(join(root, `${file}${ending}`), 11_000);
    }
  }
  aged(join(root, "tasks/t/.lock"), 11_000);
  const stale = all(root).filter((name) => /\.lock(\.break)?$/.test(name) && !sound.includes(name));
  const findings = await examine({ root });
  expect(findings.map(({ path }) => path).sort()).toEqual(stale);
  expect(findings.find(({ path }) => path === "tasks/t/.lock.lock")).toEqual({
    kind: "lock_stale",
    path: "tasks/t/.lock.lock",
    message: expect.stringMatching(/^was left behind \d+ s ago by a writer of \.lock$/),
    fix: "remove it",
    isMendable: true,
    isNote: false,
  });
  expect((await mend({ root })).map(({ kind, isMended }) => [kind, isMended])).toEqual(
    stale.map(() => ["lock_stale", true]),
  );
  expect(all(root)).toEqual(sound);
});

test("[ATP-LCK-102] a lock or guard that is younger is somebody's, and is neither told nor touched", async ({
  root,
}) => {
  await beside(root, [".lock", ".lock.break"], (path) => {
    mkdirSync(path);
    aged(path, 9_000);
  });
  const before = all(root);
  expect(await mend({ root, limits })).toEqual([]);
  expect(all(root)).toEqual(before);
});

test("a lock is told whatever stands in its place, and a link is taken away without what it leads to", async ({
  root,
}) => {
  mkdirSync(join(root, "away"));
  writeFileSync(join(root, "away/kept"), "kept");
  const made = await beside(root, [".lock"], (path) =>
    path.endsWith("config.json.lock") ? writeFileSync(path, "") : symlinkSync(join(root, "away"), path),
  );
  for (const path of made) aged(join(root, path), 11_000);
  expect((await mend({ root })).map(({ isMended }) => isMended)).toEqual(made.map(() => true));
  expect(made.filter((path) => existsSync(join(root, path)))).toEqual([]);
  expect(readFileSync(join(root, "away/kept"), "utf8")).toBe("kept");
});

test("temporary files older than the limit are told and removed, also such as the real client makes", async ({
  root,
}) => {
  const made = await beside(root, [".tmp.eac77c84", ".tmp.0123abcd"], (path) => {
    writeFileSync(path, "[]");
    aged(path, 11_000);
  });
  const findings = await mend({ root });
  expect(findings.map(({ kind, path, isMended }) => [kind, path, isMended]).sort()).toEqual(
    made.map((path) => ["temporary_orphaned", path, true]).sort(),
  );
  expect(made.filter((path) => existsSync(join(root, path)))).toEqual([]);
});

test("a temporary file is left alone while it is young, or while the lock of its document is", async ({ root }) => {
  const made = await beside(root, [".tmp.eac77c84"], (path) => writeFileSync(path, "[]"));
  expect(await mend({ root, limits })).toEqual([]);
  for (const path of made) aged(join(root, path), 11_000);
  for (const file of documents) mkdirSync(join(root, `${file}.lock`));
  expect(await mend({ root, limits })).toEqual([]);
  expect(made.filter((path) => existsSync(join(root, path)))).toEqual(made);
});

test("a lease that is kept up is nobody's leftover, and one whose holder died is given up", async ({ root }) => {
  await beside(root, [], () => {});
  const consumer = join(root, "teams/t/inboxes/team-lead.json.consumer");
  const lease = await takeLease(consumer, limits);
  expect(await mend({ root, limits })).toEqual([]);
  lease.assertHeld();
  aged(`${consumer}.lock`, 11_000);
  expect(await mend({ root, limits })).toMatchObject([{ kind: "lock_stale", isMended: true }]);
  expect(() => lease.assertHeld()).toThrow("was taken over");
  lease.release();
});

test("what has become somebody's since it was told is not taken away", async ({ root, file }) => {
  const [lock, temporary] = [`${file}.lock`, `${file}.tmp.0123abcd`];
  mkdirSync(lock);
  aged(lock, 11_000);
  const [found] = leftoversIn(root, ["alice.json.lock"], () => true, limits);
  rmSync(lock, { recursive: true });
  mkdirSync(lock);
  await expect(found?.cure?.()).rejects.toMatchObject({ code: "lock_unavailable" });
  expect(existsSync(lock)).toBe(true);

  rmSync(lock, { recursive: true });
  writeFileSync(temporary, "[]");
  aged(temporary, 11_000);
  const [orphan] = leftoversIn(root, ["alice.json.tmp.0123abcd"], () => true, limits);
  aged(temporary, 0);
  await orphan?.cure?.();
  expect(existsSync(temporary)).toBe(true);
  expect(await withLock(file, () => "free", limits)).toBe("free");
});
