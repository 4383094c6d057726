import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { codecFor, layoutOf } from "@troupe/protocol";
import { openTasks } from "@troupe/store/files";
import lockfile from "proper-lockfile";

const [kind, root = "", begin = "0", until = "0", name = ""] = process.argv.slice(2);
const layout = layoutOf(root).team("t");

interface Task {
  readonly id: string;
  readonly status: string;
  readonly owner?: string;
  readonly blockedBy: readonly string[];
}

/** The reference: lock the list, read every task, take the first that is free, write it. */
async function reference(): Promise<string | undefined> {
  const retries = { retries: 10, minTimeout: 5, maxTimeout: 100 };
  const release = await lockfile.lock(layout.taskLock, { realpath: false, retries });
  try {
    const tasks = readdirSync(layout.tasks)
      .filter((file) => /^\d+\.json$/.test(file))
      .map((file) => JSON.parse(readFileSync(`${layout.tasks}/${file}`, "utf8")) as Task)
      .sort((a, b) => Number(a.id) - Number(b.id));
    const done = new Set(tasks.filter(({ status }) => status === "completed").map(({ id }) => id));
    const free = tasks.find(
      ({ status, owner, blockedBy }) => status === "pending" && !owner && blockedBy.every((id) => done.has(id)),
    );
    if (!free) return undefined;
    writeFileSync(layout.task(free.id), JSON.stringify({ ...free, owner: name, status: "in_progress" }, null, 2));
    return free.id;
  } finally {
    await release();
  }
}

const tasks = openTasks({ layout, codec: codecFor("2026-02"), isMember: async () => true });
const ours = async () => (await tasks.claimNext(name))?.id;
const claim = kind === "ours" ? ours : reference;

const claimed: string[] = [];
await sleep(Math.max(0, Number(begin) - Date.now()));
const start = performance.now();
while (Date.now() < Number(until)) {
  try {
    const id = await claim();
    if (id === undefined) break;
    claimed.push(id);
  } catch {
    // Refused under contention: the next attempt may do.
  }
}
console.log(JSON.stringify({ claimed, ms: performance.now() - start }));
