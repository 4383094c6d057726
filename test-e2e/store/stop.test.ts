import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Revision, revisions } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { age } from "../../scripts/age.ts";
import { endOf, openAt, operations, prepare } from "./operations.mjs";
import { atATime, type Running, test } from "./processes.ts";
import { differing, endIn, look, type Scene, startOne } from "./scenes.ts";
import { openThreads } from "./threads.ts";

/** Shorter than any stop, so that another process takes over the lock of the stopped one. */
const staleMs = 120;
const threads = openThreads(4);

/** Stops an operation before a call, and gives what lets it go on to its end. */
type Stopper = (scene: Scene, step: number) => Promise<() => Promise<string>>;
const inThread: Stopper = async (scene, step) => {
  const stopped = await threads.stop(scene, step);
  return async () => (await stopped.goOn()).end ?? "";
};
const asProcess: Stopper = async (scene, step) => {
  const running = startOne(scene, { faults: `stop=${step}` });
  await running.heard(/^stopped/);
  return async () => endIn(await wokenUp(running));
};

interface Stopping {
  readonly root: string;
  readonly revision: Revision;
  /** The operation of the process that is stopped. */
  readonly operation: string;
  /** The operation that runs meanwhile, from beginning to end. */
  readonly meanwhile: string;
  readonly stopper?: Stopper;
}

/**
 * Stops the operation before each step around a change in turn, does another meanwhile, and lets it
 * go on. Files and results are those of the two one after the other, in this order or that. Where
 * the late one says that it lost its lock it has done nothing, but for what stands in several
 * files: there some may be as if it was done, and doing it again ends as if it came second.
 */
async function stopEverywhere(stopping: Stopping): Promise<void> {
  const { root, revision, operation, meanwhile, stopper = inThread } = stopping;
  const prepared = join(root, "prepared");
  await prepare(prepared, revision);
  age(prepared);
  const copyTo = (name: string) => {
    const copy = join(root, name);
    cpSync(prepared, copy, { recursive: true, preserveTimestamps: true });
    return copy;
  };
  const here = async (copy: string, name: string) =>
    endOf(operations[name]?.(openAt(copy, { staleMs }), revision) ?? Promise.reject(new Error(name)));
  const oneAfterTheOther = async (copy: string, first: string, second: string) => {
    const ends = { [first]: await here(copy, first), [second]: await here(copy, second) };
    return { late: ends[operation], other: ends[meanwhile], files: look(copy).files };
  };
  const inOrder = [
    await oneAfterTheOther(copyTo("late first"), operation, meanwhile),
    await oneAfterTheOther(copyTo("other first"), meanwhile, operation),
  ];
  const alone = copyTo("alone");
  await here(alone, meanwhile);
  const untouched = look(alone).files;
  const sceneIn = (copy: string): Scene => ({ root: copy, revision, operation, staleMs });
  const { called } = await threads.run(sceneIn(copyTo("unharmed")));
  const steps = called.flatMap(({ isChange }, n) => (isChange || called[n - 1]?.isChange ? [n + 1] : []));
  expect(steps.length).toBeGreaterThan(5);

  let refusals = 0;
  await atATime(4, steps, async (step) => {
    const copy = copyTo(`${step}`);
    const at = `stopped at ${step} of ${called.map(({ name }, n) => `${n + 1}:${name}`).join(" ")}`;
    const goOn = await stopper(sceneIn(copy), step);
    const other = await here(copy, meanwhile);
    const end = await goOn();
    const { files, leftovers } = look(copy);
    expect(leftovers, at).toEqual([]);
    if (end.startsWith("error lock_lost")) {
      refusals += 1;
      const touched = differing(files, untouched);
      const isPart = (path: string) =>
        inSeveralFiles.has(operation) && inOrder.some((one) => one.files[path] === files[path]);
      expect(
        touched.filter((path) => !isPart(path)),
        at,
      ).toEqual([]);
      await here(copy, operation);
      const ends = inOrder.map((one) => differing(look(copy).files, one.files));
      expect(ends, at).toContainEqual([]);
    } else {
      const faults = inOrder.map((one) => [
        ...differing(files, one.files),
        ...(end === one.late ? [] : [`${operation}: ${end}`]),
        ...(other === one.other ? [] : [`${meanwhile}: ${other}`]),
      ]);
      expect(faults, at).toContainEqual([]);
    }
    rmSync(copy, { recursive: true });
  });
  expect(refusals).toBeGreaterThan(0);
}

const inSeveralFiles = new Set(["edge to another task", "remove of the highest task"]);

/** It says that it stops before it does: it is woken until it has ended. */
async function wokenUp({ child, said }: Running): Promise<string[]> {
  const waking = setInterval(() => child.kill("SIGCONT"), 20);
  return said.finally(() => clearInterval(waking));
}

const pairs: [string, string][] = [
  ["send", "send by another"],
  ["acknowledge", "send"],
  ["join", "join of another"],
  ["create of a task", "create of another task"],
  ["claim", "claim by another"],
  ["remove of the highest task", "change of the highest task"],
  ["edge to another task", "complete with dependants"],
];

/** In the other revision this alone does other things to the disk. */
const isVarying = ([operation]: [string, string]) => operation === "acknowledge";

test("[ATP-LCK-008] send: a process that is stopped past the limit at any step does nothing late", async ({ root }) => {
  const stopping = { revision: "2026-02", operation: "send", meanwhile: "send by another" } as const;
  await stopEverywhere({ root, ...stopping, stopper: asProcess });
});

describe.each(revisions)("%s", (revision) => {
  test.for(pairs.filter((pair) => revision === "2026-02" || isVarying(pair)))(
    "[ATP-LCK-008] %s: stopped past the limit at any step, it does nothing late, and a %s meanwhile is as if it came before or after",
    async ([operation, meanwhile], { root }) => {
      await stopEverywhere({ root, revision, operation, meanwhile });
    },
  );
});
