import { mkdirSync, mkdtempSync, rmdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "@troupe/store/files";
import lockfile from "proper-lockfile";
import { allAtOnce } from "./contenders.ts";
import type { Contention, Kind } from "./lock-worker.ts";
import { atLeast, atMost, mediansOf, type Result, roundsOf } from "./measure.ts";

const worker = fileURLToPath(new URL("lock-worker.js", import.meta.url));

/**
 * P2: our lock against the system calls that the convention cannot do without, and beside
 * `proper-lockfile`: alone, among eight processes, and both on the same file.
 */
export async function locking(): Promise<Record<string, Result>> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const file = join(folder, "inbox.json");
  writeFileSync(file, "[]");
  try {
    const library: number[] = [];
    const uncontended = await roundsOf(async () => {
      const { ours, bare, reference } = await alone(file);
      library.push(reference / ours);
      return ours / bare;
    });
    const eight = (kind: Kind, think = 0) => contend(file, Array<Kind>(8).fill(kind), 1_000, think);
    const jains: number[] = [];
    const failures: number[] = [];
    const libraries: number[] = [];
    const throughput = await roundsOf(async () => {
      const ours = await eight("ours");
      jains.push(jain(ours));
      failures.push(sum(ours, "failures") + sum(ours, "doubles"));
      libraries.push(sum(ours, "operations") / Math.max(1, sum(await eight("reference"), "operations")));
      return sum(ours, "operations") / Math.max(1, sum(await eight("bare"), "operations"));
    });
    const excess: number[] = [];
    const mixed = await roundsOf(async () => {
      const kinds: Kind[] = ["ours", "ours", "ours", "ours", "reference", "reference", "reference", "reference"];
      const among = (await contend(file, kinds, 1_500, 5)).slice(4);
      const own = (await contend(file, Array<Kind>(8).fill("reference"), 1_500, 5)).slice(4);
      excess.push(sum(among, "failures") - sum(own, "failures"));
      return sum(among, "operations") / Math.max(1, sum(own, "operations"));
    }, 3);
    return {
      "P2.alone": atMost(1.15, uncontended),
      "P2.eight": atLeast(0.9, throughput),
      "P2.library": atLeast(5, library.slice(1)),
      "P2.library-eight": atLeast(2, libraries.slice(1)),
      "P2.jain": atLeast(0.9, jains.slice(1)),
      "P2.failures": atMost(0, [Math.max(...failures)]),
      "P2.mixed": atLeast(0.8, mixed),
      "P2.mixed-failures": atMost(0, excess.slice(1)),
      "P2.stale": atMost(0, [await staleBreaks(file, 200)]),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Milliseconds for one lock that nobody else wants, of each kind by turns: the medians. The bare
 * one has a time of its own, as any lock must: its directory gets the number of the one before,
 * and within four milliseconds also its time.
 */
async function alone(file: string): Promise<Readonly<Record<Kind, number>>> {
  const lock = `${file}.lock`;
  const kinds = {
    ours: () => withLock(file, () => undefined),
    async bare() {
      mkdirSync(lock);
      utimesSync(lock, 1, 1);
      rmdirSync(lock);
    },
    reference: async () => (await lockfile.lock(file, { realpath: false }))(),
  };
  return mediansOf(kinds, 500);
}

/** Processes that begin and end together. */
function contend(
  file: string,
  kinds: readonly Kind[],
  ms: number,
  thinkMs = 0,
  count = Number.POSITIVE_INFINITY,
  sectionMs = 0,
): Promise<Contention[]> {
  const limits = [ms, thinkMs, count, sectionMs].map(String);
  return allAtOnce(
    worker,
    kinds.map((kind) => [kind, file, ...limits]),
  );
}

/** How often two processes were inside at once after a lock was left behind. */
async function staleBreaks(file: string, trials: number): Promise<number> {
  let doubles = 0;
  const batch = 20;
  for (let done = 0; done < trials; done += batch) {
    const files = Array.from({ length: batch }, (_, n) => `${file}.${done + n}`);
    for (const one of files) {
      mkdirSync(`${one}.lock`);
      const then = new Date(Date.now() - 11_000);
      utimesSync(`${one}.lock`, then, then);
    }
    for (const one of files.slice(0, 4))
      doubles += sum(await contend(one, ["ours", "ours", "ours", "ours"], 300, 0, 20, 0.2), "doubles");
  }
  return doubles;
}

const sum = (all: readonly Contention[], key: "operations" | "failures" | "doubles"): number =>
  all.reduce((total, one) => total + one[key], 0);

/** 1 when everybody got as much as everybody else. */
function jain(all: readonly Contention[]): number {
  const counts = all.map(({ operations }) => operations);
  const total = counts.reduce((a, b) => a + b, 0);
  return total ** 2 / (counts.length * counts.reduce((a, b) => a + b * b, 0));
}
