import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { codecFor, layoutOf } from "@troupe/protocol";
import { openTasks } from "@troupe/store/files";
import lockfile from "proper-lockfile";
import { untilAllAreReady } from "./contenders.ts";

const [job = "", kind = "", root = "", limitMs = "0", name = ""] = process.argv.slice(2);
const layout = layoutOf(root).team("t");
const draft = { subject: "Read the parser", description: "All of it, and the tests" };

interface Task {
  readonly id: string;
  readonly status: string;
  readonly owner?: string;
  readonly blockedBy: readonly string[];
}

/** The work of one process, an id or nothing at each step; false once there is no more to do. */
type Job = (step: number) => Promise<string | undefined | false>;

async function locked<T>(file: string, work: () => T): Promise<T> {
  const retries = { retries: 10, minTimeout: 5, maxTimeout: 100 };
  const release = await lockfile.lock(file, { realpath: false, retries });
  try {
    return work();
  } finally {
    await release();
  }
}

const names = () => readdirSync(layout.tasks).filter((file) => /^\d+\.json$/.test(file));
const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Task;
const isFree = ({ status, owner }: Task) => status === "pending" && !owner;
const write = (id: string, task: object) => writeFileSync(layout.task(id), JSON.stringify(task, null, 2));

function take(task: Task): string {
  write(task.id, { ...task, owner: name, status: "in_progress" });
  return task.id;
}

const tasks = openTasks({ layout, codec: codecFor("2026-02"), isMember: async () => true });
const jobs: Readonly<Record<string, { readonly ours: Job; readonly reference: Job }>> = {
  /** The next that is free, until there is none. */
  next: {
    ours: async () => (await tasks.claimNext(name))?.id ?? false,
    reference: () =>
      locked(layout.taskLock, () => {
        const all = names()
          .map((file) => read(`${layout.tasks}/${file}`))
          .sort((a, b) => Number(a.id) - Number(b.id));
        const done = new Set(all.filter(({ status }) => status === "completed").map(({ id }) => id));
        const free = all.find((task) => isFree(task) && task.blockedBy.every((id) => done.has(id)));
        return free ? take(free) : false;
      }),
  },
  /** A hundred given ids, each asked for by everybody. */
  given: {
    ours: async (step) =>
      step < 100 && ((await tasks.claim(`${step + 1}`, name)).outcome === "claimed" ? `${step + 1}` : undefined),
    reference: async (step) =>
      step < 100 &&
      locked(layout.task(`${step + 1}`), () => {
        const task = read(layout.task(`${step + 1}`));
        return isFree(task) ? take(task) : undefined;
      }),
  },
  /** Twenty-five new tasks. */
  create: {
    ours: async (step) => step < 25 && (await tasks.create(draft)).id,
    reference: async (step) =>
      step < 25 &&
      locked(layout.taskLock, () => {
        const id = String(Math.max(0, ...names().map((file) => Number.parseInt(file, 10))) + 1);
        write(id, { id, ...draft, activeForm: "", status: "pending", blocks: [], blockedBy: [] });
        return id;
      }),
  },
};
const work = jobs[job]?.[kind as "ours" | "reference"] as Job;

const ids: string[] = [];
await untilAllAreReady();
const start = performance.now();
for (let step = 0; performance.now() - start < Number(limitMs); ) {
  try {
    const id = await work(step);
    if (id === false) break;
    if (id !== undefined) ids.push(id);
    step += 1;
  } catch {
    // Refused under contention: the next attempt may do.
  }
}
console.log(JSON.stringify({ ids, ms: performance.now() - start }));
