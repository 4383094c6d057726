import { cpSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { layoutOf, type Revision, revisions, taskIdOf } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { openAt, operations, prepare } from "./operations.mjs";
import { atATime, test } from "./processes.ts";
import { callsOf, differing, look, startOne } from "./scenes.ts";

/** Longer than any hold takes; a killed holder is waited for in each run. */
const staleMs = 250;

interface Killing {
  readonly root: string;
  readonly revision: Revision;
  readonly operation: string;
  readonly isDurable?: boolean;
  /** Makes a copy of the prepared files what it must be: an age is not copied. */
  readonly arrange?: (root: string) => void;
}

/** Kills the operation at every change of the disk in turn, and holds what is left against the files before and after it. */
async function killEverywhere({ root, revision, operation, isDurable = false, arrange }: Killing): Promise<void> {
  const prepared = join(root, "prepared");
  await prepare(prepared, revision);
  const copyTo = (name: string) => {
    const copy = join(root, name);
    cpSync(prepared, copy, { recursive: true });
    arrange?.(copy);
    return copy;
  };
  const run = (copy: string, faults: string) =>
    startOne({ root: copy, revision, operation, staleMs, isDurable }, { faults }).said;
  const again = (copy: string) => operations[operation]?.(openAt(copy, { staleMs, isDurable }), revision);

  const unharmed = copyTo("unharmed");
  const called = await callsOf({ root: unharmed, revision, operation, staleMs, isDurable });
  const [before, after] = [look(prepared).files, look(unharmed)];
  await again(unharmed)?.catch(() => undefined);
  const twice = look(unharmed);
  const changes = called.flatMap(({ name, isChange }) => (isChange ? [name] : []));
  expect([...after.leftovers, ...twice.leftovers]).toEqual([]);
  expect(changes.length).toBeGreaterThan(2);

  const faults = changes.flatMap((name, n) => [`kill=${n + 1}`, ...(isWrite(name) ? [`half=${n + 1}`] : [])]);
  await atATime(4, faults, async (fault) => {
    const copy = copyTo(fault);
    const at = `${fault} of ${changes.map((name, n) => `${n + 1}:${name}`).join(" ")}`;
    expect(await run(copy, fault), at).toEqual([]);

    const { files, leftovers } = look(copy);
    const strange = differing(files, after.files).filter((path) => files[path] !== before[path]);
    expect(strange, at).toEqual([]);
    expect(leftovers.filter(isTakenForDocument), at).toEqual([]);
    const store = openAt(copy);
    for (const name of await store.listTeams())
      expect((await (await store.openTeam(name))?.tasks.list())?.problems, at).toEqual([]);

    await again(copy)?.catch((error) => expect(["name_taken", "team_exists"], at).toContain(error.code));
    const { files: repaired, leftovers: remaining } = look(copy);
    expect([differing(repaired, after.files), differing(repaired, twice.files)], at).toContainEqual([]);
    const unexpected = remaining.filter((path) => !mayRemain(path));
    expect(unexpected, at).toEqual([]);
    rmSync(copy, { recursive: true });
  });
}

const isWrite = (name: string): boolean => ["writeFileSync", "writeSync", "copyFileSync"].includes(name);

const isTakenForDocument = (path: string): boolean =>
  !/\.deleted-|\/tasks\./.test(path) && (taskIdOf(basename(path)) !== undefined || path.endsWith(".json"));

/** What the repetition had no need of: somebody who does takes it over, and the rest of a team is there for who tidies up. */
const mayRemain = (path: string): boolean => /tasks\/t\/(\d+\.json|\.lock)\.lock$|\.lock\.break$|\.deleted-/.test(path);

/** What others do to the disk is what one of these does. */
const same = ["update of a member", "leave", "change of the highest task"];
const all = Object.keys(operations).filter((operation) => !operation.includes("other") && !same.includes(operation));
/** In the other revision these alone do other things to the disk. */
const varying = new Set(["send", "acknowledge", "complete with dependants", "create of a team", "delete of a team"]);
const killed = "%s: killed at any step, it is done or not done, and can be done again";

describe.each(revisions)("%s", (revision) => {
  test.for(all.filter((operation) => revision === "2026-02" || varying.has(operation)))(
    `[ATP-LCK-006] [ATP-LCK-011] ${killed}`,
    { timeout: 60_000 },
    async (operation, { root }) => {
      await killEverywhere({ root, revision, operation });
    },
  );
});

test(`[ATP-LCK-006] ${killed.replace("%s", "a send that survives power cuts")}`, async ({ root }) => {
  await killEverywhere({ root, revision: "2026-11", operation: "send", isDurable: true });
}, 60_000);

test(`[ATP-LCK-006] ${killed.replace("%s", "a send where a lock was left behind")}`, async ({ root }) => {
  const arrange = (copy: string) => {
    const lock = layoutOf(copy).team("t").inbox("bob").concat(".lock");
    mkdirSync(lock);
    utimesSync(lock, 0, 0);
  };
  await killEverywhere({ root, revision: "2026-11", operation: "send", arrange });
}, 60_000);
