import { setTimeout as pause } from "node:timers/promises";
import type { Check, CheckContext } from "../check.ts";
import { checkFailure } from "../fault.ts";
import type { Proc, Reply } from "../target.ts";
import { goesAhead } from "./crew.ts";
import { type Encounter, encounterMethods, prepareEncounters } from "./encounters.ts";
import { type Convention, commonStaleMs, conventionOf, type ForeignLock } from "./foreign-lock.ts";

interface Meeting extends Encounter {
  readonly proc: Proc;
  readonly reply: Promise<Reply>;
  readonly before: string;
}

/**
 * Starts the calls while the suite holds the locks; fails if one writes while they are held and
 * younger than `limitMs`.
 */
async function assertRespected(
  encounters: readonly Encounter[],
  procs: readonly Proc[],
  locks: readonly ForeignLock[],
  { forMs, limitMs }: { readonly forMs: number; readonly limitMs: number },
): Promise<readonly Meeting[]> {
  const meetings = encounters.map((encounter, index) => {
    const proc = procs[index % procs.length] as Proc;
    const before = encounter.state();
    return { ...encounter, proc, before, reply: proc.call(encounter.method, encounter.params) };
  });
  for (const { reply } of meetings) reply.catch(() => {});
  for (const end = performance.now() + forMs; performance.now() < end; await pause(10)) {
    const states = meetings.map(({ state }) => state());
    const age = Math.max(...locks.map((lock) => lock.ageMs() ?? Number.NEGATIVE_INFINITY));
    // A machine that slept may have let a lock grow old.
    if (age >= limitMs) break;
    const hasty = meetings.filter(({ before }, index) => states[index] !== before);
    if (hasty.length === 0 && locks.every((lock) => lock.isHeld())) continue;
    const files = hasty.map(({ method, file }) => `${method} (${file.split("/").slice(-2).join("/")})`);
    throw checkFailure(
      `not respected while another program held the lock: ${files.join(", ") || "a lock was taken away"}`,
      {
        expected: `nothing is written while the lock is younger than ${limitMs} ms`,
        actual: { lockAgeMs: Math.round(age), states },
      },
    );
  }
  return meetings;
}

/** Each call goes ahead now, also one that was answered with `locked` before. */
async function assertReleased(context: CheckContext, meetings: readonly Meeting[]): Promise<void> {
  const limitMs = context.scaled(5_000);
  for (const { reply, proc, method, params } of meetings) {
    const found = await reply;
    if (found.outcome === "ok") continue;
    if (found.outcome === "fail" && found.error.name === "locked") {
      await goesAhead(proc, method, params, limitMs, `${method} does not go ahead once the lock is free`);
    } else throw checkFailure(`${method} did not succeed`, { expected: "a result", actual: found });
  }
}

const holdAll = ({ hold }: Convention, files: readonly string[]): readonly ForeignLock[] =>
  [...new Set(files)].map(hold);

const foreignHolder: Check = {
  id: "LCK-FOREIGN/a",
  title: "nothing is written while another program holds the lock, and what it wrote meanwhile stays",
  requirements: ["ATP-LCK-001", "ATP-LCK-002", "ATP-LCK-003", "ATP-LCK-009"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: encounterMethods },
  async run(context) {
    const convention = conventionOf(context.declaration);
    const encounters = await prepareEncounters(context);
    const procs = await context.start(encounters.length);
    // All at once, so that it does not matter how many tasks or documents share a lock.
    const locks = holdAll(
      convention,
      encounters.map(({ file }) => file),
    );
    const limits = { forMs: 500, limitMs: Math.min(convention.staleMs, commonStaleMs) };
    const meetings = await assertRespected(encounters, procs, locks, limits);
    for (const { edit } of encounters) edit();
    for (const lock of locks) lock.release();
    await assertReleased(context, meetings);
    for (const { assertBoth } of encounters) assertBoth();
    return undefined;
  },
};

/** A lock that looks 8.5 seconds old and is never touched again. */
async function agedButYoung(context: CheckContext): Promise<undefined> {
  const convention = conventionOf(context.declaration);
  const encounters = await prepareEncounters(context);
  const procs = await context.start(encounters.length);
  const locks = holdAll(
    convention,
    encounters.map(({ file }) => file),
  );
  for (const lock of locks) lock.age(8_500);
  const meetings = await assertRespected(encounters, procs, locks, { forMs: 1_000, limitMs: commonStaleMs });
  for (const lock of locks) lock.release();
  await assertReleased(context, meetings);
  return undefined;
}

const youngTitle = "a lock directory that is younger than ten seconds is respected, also without a heartbeat";

const youngLock: Check = {
  id: "LCK-YOUNG/a",
  title: youngTitle,
  requirements: ["ATP-LCK-102"],
  level: "L2",
  revisions: ["2026-11"],
  needs: { methods: encounterMethods },
  run: agedButYoung,
};

const youngLockOnce: Check = {
  ...youngLock,
  id: "LCK-YOUNG/b",
  requirements: ["ATP-LCK-015"],
  revisions: ["2026-02"],
};

/** Holds one kind of lock at a time: a target that proceeds takes another kind. */
async function oneByOne(context: CheckContext): Promise<undefined> {
  const { lockStyle, lockPath } = context.declaration.quirks;
  const convention = conventionOf(context.declaration);
  if (lockStyle !== "mkdir" || lockPath !== "<file>.lock") {
    const expected = { lockStyle: "mkdir", lockPath: "<file>.lock" };
    throw checkFailure("other locks are declared", { expected, actual: context.declaration.quirks });
  }
  const encounters = await prepareEncounters(context);
  const procs = await context.start(encounters.length);
  const isList = ({ file }: Encounter) => file.endsWith("/.lock");
  const isConfig = ({ file }: Encounter) => file.endsWith("/config.json");
  const isOther = (encounter: Encounter) => !isList(encounter) && !isConfig(encounter);
  for (const isChosen of [isOther, (one: Encounter) => isList(one) || isConfig(one)]) {
    const chosen = encounters.filter(isChosen);
    const locks = holdAll(
      convention,
      chosen.map(({ file }) => file),
    );
    const meetings = await assertRespected(chosen, procs, locks, { forMs: 400, limitMs: commonStaleMs });
    for (const lock of locks) lock.release();
    await assertReleased(context, meetings);
  }
  return undefined;
}

const lockPaths: Check = {
  id: "LCK-PATH/a",
  title: "an inbox, the config and a task each have <file>.lock, and making or deleting a task takes .lock.lock",
  requirements: ["ATP-LCK-101"],
  level: "L2",
  revisions: ["2026-11"],
  needs: { methods: encounterMethods },
  run: oneByOne,
};

const taskLockPaths: Check = {
  ...lockPaths,
  id: "LCK-PATH/b",
  requirements: ["ATP-LCK-016"],
  revisions: ["2026-02"],
};

export const foreignHolderChecks: readonly Check[] = [
  foreignHolder,
  youngLock,
  youngLockOnce,
  lockPaths,
  taskLockPaths,
];
