import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codecFor, layoutOf, type TeamLayout } from "@troupe/protocol";
import { openTasks } from "@troupe/store/files";
import { allAtOnce } from "./contenders.ts";
import { atLeast, atMost, type Result, roundsOf } from "./measure.ts";

const worker = fileURLToPath(new URL("task-worker.js", import.meta.url));
const codec = codecFor("2026-02");
const draft = { subject: "Read the parser", description: "All of it, and the tests" };

const open = (layout: TeamLayout) => openTasks({ layout, codec, isMember: async () => true });

/** P6: making, listing and taking tasks, at ten and at ten thousand. */
export async function tasks(): Promise<Record<string, Result>> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  let lists = 0;
  const listOf = (count: number): TeamLayout & { readonly root: string } => {
    lists += 1;
    const root = join(folder, String(lists));
    const layout = layoutOf(root).team("t");
    for (const directory of [layout.directory, layout.tasks]) mkdirSync(directory, { recursive: true });
    writeFileSync(layout.taskLock, "");
    for (let id = 1; id <= count; id += 1)
      writeFileSync(layout.task(String(id)), codec.write(codec.newTask({ ...draft, id: String(id) })));
    return { ...layout, root };
  };
  try {
    const [few, many] = [listOf(10), listOf(10_000)];
    const created = await roundsOf(async () => (await creating(many)) / (await creating(few)));
    const listed = await roundsOf(async () => {
      const everything = await timed(() => readEverything(many.tasks));
      return everything / (await timed(() => open(many).list()));
    });
    const doubles: number[] = [];
    /** Ours against the reference at one job. */
    const against = async (job: string, count: number) => {
      const ours = await eightAt(job, listOf(count), "ours");
      const reference = await eightAt(job, listOf(count), "reference");
      doubles.push(ours.doubles);
      return { speed: ours.perSecond / reference.perSecond, time: ours.ms / reference.ms };
    };
    const claimed = await roundsOf(async () => (await against("next", 1_000)).speed, 3);
    const given = await roundsOf(async () => (await against("given", 100)).time);
    const together = await roundsOf(async () => (await against("create", 0)).time);
    return {
      "P6.create": atMost(1.5, created),
      "P6.list": atLeast(5, listed),
      "P6.claim": atLeast(10, claimed),
      "P6.given": atMost(1, given),
      "P6.together": atMost(1, together),
      "P6.doubles": atMost(0, [Math.max(...doubles)]),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Milliseconds to create one task in an existing list; the first read of the list is not counted.
 */
async function creating(layout: TeamLayout): Promise<number> {
  const list = open(layout);
  const first = await list.create(draft);
  const times = 20;
  const made = [first.id];
  const ms = await timed(async () => {
    for (let done = 0; done < times; done += 1) made.push((await list.create(draft)).id);
  });
  for (const id of made) rmSync(layout.task(id));
  return ms / times;
}

const readEverything = (directory: string): Promise<unknown> =>
  Promise.all(
    readdirSync(directory)
      .filter((name) => name.endsWith(".json"))
      .map((name) => readFile(join(directory, name))),
  );

/** Eight processes at one job until it is done or the time is up. */
async function eightAt(job: string, { root }: { readonly root: string }, kind: "ours" | "reference") {
  const args = Array.from({ length: 8 }, (_, n) => [job, kind, root, "4000", `a${n}`]);
  const ends = await allAtOnce<{ ids: string[]; ms: number }>(worker, args);
  const ids = ends.flatMap((end) => end.ids);
  const ms = Math.max(...ends.map((end) => end.ms));
  return { ms, perSecond: ids.length / (ms / 1_000), doubles: ids.length - new Set(ids).size };
}
