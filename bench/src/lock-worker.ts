import { closeSync, lstatSync, mkdirSync, openSync, rmdirSync, rmSync, utimesSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { withLock } from "@troupe/store/files";
import lockfile from "proper-lockfile";
import { untilAllAreReady } from "./contenders.ts";

/** Whose lock: ours, that of `proper-lockfile`, or the system calls alone. */
export type Kind = "ours" | "reference" | "bare";

/** What one contender saw. */
export interface Contention {
  readonly operations: number;
  readonly failures: number;
  /** How often somebody else was in the critical section at the same time. */
  readonly doubles: number;
  readonly waitsMs: readonly number[];
}

const [kind, file = "", ms = "", think = "0", count = "Infinity", sectionMs = "0"] = process.argv.slice(2);

/** The critical section: a file that nobody else may have made. */
function section(): boolean {
  try {
    closeSync(openSync(`${file}.inside`, "wx"));
  } catch {
    return false;
  }
  const end = performance.now() + Number(sectionMs);
  while (performance.now() < end);
  rmSync(`${file}.inside`);
  return true;
}

const ours = () => withLock(file, section);

/** The reference: the policy that published implementations use. */
async function reference(): Promise<boolean> {
  const release = await lockfile.lock(file, {
    realpath: false,
    retries: { retries: 10, minTimeout: 5, maxTimeout: 100 },
  });
  const wasAlone = section();
  await release();
  return wasAlone;
}

const never = new Int32Array(new SharedArrayBuffer(4));
const nap = (ms: number) => void (ms > 0 && Atomics.wait(never, 0, 0, ms));
let leaveUntil = 0;

/** The system calls that the convention cannot do without, and our waiting, with no code around. */
async function bare(): Promise<boolean> {
  const lock = `${file}.lock`;
  nap(leaveUntil - performance.now());
  leaveUntil = 0;
  let isContended = false;
  while (!isMade(lock)) {
    isContended = true;
    for (let look = 0; lstatSync(lock, { throwIfNoEntry: false }); look += 1)
      if (look < 8) nap(0.05 + Math.random() * 0.2);
      else await sleep(1 + Math.random() * 4);
  }
  const start = performance.now();
  const wasAlone = section();
  const end = performance.now();
  rmdirSync(lock);
  if (isContended) leaveUntil = end + (end - start);
  return wasAlone;
}

function isMade(lock: string): boolean {
  try {
    mkdirSync(lock);
  } catch {
    return false;
  }
  const own = (Date.now() - Math.random() * 50) / 1_000;
  utimesSync(lock, own, own);
  return true;
}

const result = { operations: 0, failures: 0, doubles: 0, waitsMs: [] as number[] };
const take = { ours, reference, bare }[kind as Kind];
await untilAllAreReady();
const until = performance.now() + Number(ms);
while (performance.now() < until && result.operations < Number(count)) {
  const start = performance.now();
  try {
    if (!(await take())) result.doubles += 1;
    result.operations += 1;
  } catch {
    result.failures += 1;
  }
  result.waitsMs.push(performance.now() - start);
  if (Number(think) > 0) await sleep(Number(think));
}
console.log(JSON.stringify(result));
