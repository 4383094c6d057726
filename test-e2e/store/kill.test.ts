import { cpSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { layoutOf, type Revision, revisions, taskIdOf } from "@troupe/protocol";
import { eventIn } from "@troupe/team";
import { describe, expect } from "vitest";
import { age } from "../../scripts/age.ts";
import { openAt, operations, prepare } from "./operations.mjs";
import { atATime, test } from "./processes.ts";
import { differing, look, type Scene, startOne } from "./scenes.ts";
import { type Fault, openThreads } from "./threads.ts";

/** Longer than any hold takes; a killed holder is waited for in each run. */
const staleMs = 250;
const threads = openThreads(1);

/** Ends an operation, and gives what it says nevertheless. */
type Killer = (scene: Scene, fault: Fault) => Promise<unknown>;
const inThread: Killer = async (scene, fault) => (await threads.run(scene, fault)).end ?? [];
const asProcess: Killer = (scene, fault) =>
  startOne(scene, { faults: new URLSearchParams(Object.entries(fault)).toString() }).said;

interface Killing {
  readonly root: string;
  readonly revision: Revision;
  readonly operation: string;
  readonly isDurable?: boolean;
  readonly killer?: Killer;
  /** Makes a copy of the prepared files what it must be: an age is not copied. */
  readonly arrange?: (root: string) => void;
}

/**
 * Kills the operation at every change of the disk in turn, and holds what is left against the files
 * before and after it.
 */
async function killEverywhere(killing: Killing): Promise<void> {
  const { root, revision, operation, isDurable = false, killer = inThread, arrange } = killing;
  const prepared = join(root, "prepared");
  await prepare(prepared, revision);
  age(prepared);
  const copyTo = (name: string) => {
    const copy = join(root, name);
    cpSync(prepared, copy, { recursive: true, preserveTimestamps: true });
    arrange?.(copy);
    return copy;
  };
  const sceneIn = (copy: string): Scene => ({ root: copy, revision, operation, staleMs, isDurable });
  const again = (copy: string) => operations[operation]?.(openAt(copy, { staleMs, isDurable }), revision);

  const unharmed = copyTo("unharmed");
  const { called } = await threads.run(sceneIn(unharmed));
  const [before, after] = [look(prepared).files, look(unharmed)];
  await again(unharmed)?.catch(() => undefined);
  const twice = look(unharmed);
  const changes = called.flatMap(({ name, isChange }) => (isChange ? [name] : []));
  expect([...after.leftovers, ...twice.leftovers]).toEqual([]);
  expect(changes.length).toBeGreaterThan(2);

  const faults = changes.flatMap((name, n): Fault[] => [{ kill: n + 1 }, ...(isWrite(name) ? [{ half: n + 1 }] : [])]);
  await atATime(8, faults, async (fault) => {
    const copy = copyTo(JSON.stringify(fault));
    const at = `${JSON.stringify(fault)} of ${changes.map((name, n) => `${n + 1}:${name}`).join(" ")}`;
    expect(await killer(sceneIn(copy), fault), at).toEqual([]);

    const { files, leftovers } = look(copy);
    const strange = differing(files, after.files).filter((path) => files[path] !== before[path]);
    expect(strange, at).toEqual([]);
    expect(leftovers.filter(isTakenForDocument), at).toEqual([]);
    const store = openAt(copy);
    for (const name of await store.listTeams())
      expect((await (await store.openTeam(name))?.tasks.list())?.problems, at).toEqual([]);
    const told = (await recordedIn(copy)).slice((await recordedIn(prepared)).length);
    const mail = async (to: string) => (await (await store.openTeam("t"))?.mail(to).page())?.value ?? [];
    const sent = told.length > 0 ? (await Promise.all(["bob", "carol"].map(mail))).flat() : [];
    expect(
      sent.map(({ key }) => key),
      `the history tells of what was sent: ${at}`,
    ).toEqual(expect.arrayContaining(told));

    await again(copy)?.catch((error) => expect(["name_taken", "team_exists"], at).toContain(error.code));
    const { files: repaired, leftovers: remaining } = look(copy);
    expect([differing(repaired, after.files), differing(repaired, twice.files)], at).toContainEqual([]);
    const unexpected = remaining.filter((path) => !mayRemain(path));
    expect(unexpected, at).toEqual([]);
    rmSync(copy, { recursive: true });
  });
}

/** The keys of the messages that the history of the team tells of. */
async function recordedIn(root: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const recorded of (await openAt(root).openTeam("t"))?.history() ?? []) {
    const event = eventIn(recorded);
    if (event?.kind === "message") keys.push(event.key);
  }
  return keys;
}

const isWrite = (name: string): boolean => ["writeFileSync", "writeSync", "copyFileSync"].includes(name);

const isTakenForDocument = (path: string): boolean =>
  !/\.deleted-|\/tasks\./.test(path) && (taskIdOf(basename(path)) !== undefined || path.endsWith(".json"));

/**
 * Leftovers that the repetition did not need: the next caller that needs one takes it over, and
 * those of a team are removed by the clean-up.
 */
const mayRemain = (path: string): boolean => /tasks\/t\/(\d+\.json|\.lock)\.lock$|\.lock\.break$|\.deleted-/.test(path);

/** Operations that change the disk in the same way as one of the tested ones. */
const same = ["update of a member", "leave", "change of the highest task"];
const all = Object.keys(operations).filter((operation) => !operation.includes("other") && !same.includes(operation));
/** In the other revision these alone do other things to the disk. */
const varying = new Set(["send", "acknowledge", "complete with dependants", "create of a team", "delete of a team"]);
const killed = "%s: ended at any step, it is done or not done, and can be done again";

describe.each(revisions)("%s", (revision) => {
  test.for(all.filter((operation) => revision === "2026-02" || varying.has(operation)))(
    `[ATP-LCK-006] [ATP-LCK-011] ${killed}`,
    async (operation, { root }) => {
      await killEverywhere({ root, revision, operation });
    },
  );
});

test.for(["send", "claim"])(
  "[ATP-LCK-006] [ATP-LCK-011] %s: a process that is killed at any step has done it or not, and it can be done again",
  async (operation, { root }) => {
    await killEverywhere({ root, revision: "2026-02", operation, killer: asProcess });
  },
);

test(`[ATP-LCK-006] ${killed.replace("%s", "a send that survives power cuts")}`, async ({ root }) => {
  await killEverywhere({ root, revision: "2026-11", operation: "send", isDurable: true });
});

test(`[ATP-LCK-006] ${killed.replace("%s", "a send where a lock was left behind")}`, async ({ root }) => {
  const arrange = (copy: string) => {
    const lock = layoutOf(copy).team("t").inbox("bob").concat(".lock");
    mkdirSync(lock);
    utimesSync(lock, 0, 0);
  };
  await killEverywhere({ root, revision: "2026-11", operation: "send", arrange });
});
