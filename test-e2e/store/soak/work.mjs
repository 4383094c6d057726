import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nowUs } from "../stamped.mjs";

/** Longer than any wait for a lock may last. */
const stuckMs = 25_000;

/**
 * Keeps a worker in each slot until the time is over: from outside each is killed, or stopped for
 * up to three times the stale limit, at any moment; half of them also do so themselves, at some
 * call of the file system.
 */
export async function work({ root, slots, staleMs, seconds, random, listen, tally }) {
  const untilUs = nowUs() + seconds * 1e6;
  const isOver = () => nowUs() > untilUs;
  const below = (count) => Math.floor(random() * count);
  const workers = new Map();
  const lives = Array(slots).fill(0);
  const fault = (kind, why) => tally.faults.push({ kind, why });

  function start(slot) {
    lives[slot] += 1;
    const call = Math.floor(2 ** (4 + random() * 9));
    const faults = random() < 0.5 ? [] : [random() < 0.5 ? `kill=${call}` : `stop=${call}`];
    const task = { root, slot, slots, life: lives[slot], seed: below(2 ** 32), staleMs, untilUs };
    const worker = { child: startNode("worker.mjs", task, faults), isStopped: false, heardAt: performance.now() };
    workers.set(slot, worker);
    listen(worker.child.stdout, slot, () => stopped(worker));
    worker.child.stdout.on("data", () => {
      worker.heardAt = performance.now();
    });
    worker.child.once("close", (code, signal) => {
      workers.delete(slot);
      if (signal === "SIGKILL") tally.kills += 1;
      else if (code !== 0) fault("stuck", `a worker ended with ${code}`);
      if (!isOver()) start(slot);
    });
  }

  function stopped(worker) {
    tally.stops += 1;
    worker.isStopped = true;
    setTimeout(
      () => {
        worker.isStopped = false;
        worker.heardAt = performance.now();
        wake(worker);
      },
      random() * 3 * staleMs,
    );
  }
  const wake = ({ child }) => child.kill("SIGCONT");
  const awake = () => [...workers.values()].filter(({ isStopped }) => !isStopped);

  const reader = startNode("reader.mjs", { root, untilUs }, []);
  reader.stdout.setEncoding("utf8").on("data", (text) => {
    for (const line of text.trim().split("\n")) {
      const [kind, ...why] = JSON.parse(line);
      fault(kind, why.join(" "));
    }
  });
  const ended = new Promise((resolve) => reader.once("close", resolve));
  const killAll = () => {
    for (const child of [reader, ...[...workers.values()].map((worker) => worker.child)]) child.kill("SIGKILL");
  };
  process.once("exit", killAll);

  for (let slot = 0; slot < slots; slot += 1) start(slot);
  while (!isOver()) {
    await sleep(50 + random() * 250);
    // One that says that it stops itself may do so a moment later than it was woken.
    for (const worker of awake()) wake(worker);
    const worker = awake()[below(slots)];
    if (!worker || isOver()) continue;
    const isKill = random() < 0.6;
    worker.child.kill(isKill ? "SIGKILL" : "SIGSTOP");
    if (!isKill) stopped(worker);
  }
  while (workers.size > 0) {
    await sleep(50);
    for (const worker of awake()) {
      wake(worker);
      if (performance.now() - worker.heardAt < stuckMs) continue;
      fault("stuck", `a worker said nothing for ${stuckMs} ms`);
      worker.child.kill("SIGKILL");
    }
  }
  await ended;
  process.off("exit", killAll);
}

function startNode(file, task, faults) {
  const preload = faults.flatMap((query) => ["--import", `${new URL("../faults.mjs", import.meta.url)}?${query}`]);
  const args = [...process.execArgv, ...preload, join(import.meta.dirname, file), JSON.stringify(task)];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}
