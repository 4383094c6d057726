import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Crew, openCrew } from "./crew.ts";
import { atMost, type Result, roundsOf } from "./measure.ts";

const teammates = 50;
/** How long what is idle is looked at. */
const idleMs = 10_000;

/**
 * P7: what an idle teammate in this process costs besides the first one: KB of heap, watches and
 * timers; and the percentage of a core that a hundred of them take.
 */
export async function idling(): Promise<Record<string, Result>> {
  const crew = await openCrew();
  try {
    await crew.add();
    const first = await held();
    for (let n = 1; n <= teammates; n += 1) await crew.add();
    const idle = await roundsOf(() => idlePercent(teammates + 1), 3);
    const all = await held();
    return {
      "P7.heap": atMost(20, [(all.heap - first.heap) / 1_024 / teammates]),
      "P7.watches": atMost(1, [(all.watches - first.watches) / teammates]),
      "P7.timers": atMost(1, [(all.timers - first.timers) / teammates]),
      "P7.idle": atMost(0.3, idle),
    };
  } finally {
    await crew.close();
  }
}

const [few, many] = [10, 1_000];

/**
 * P15: a team of a thousand teammates in this process, against the same team when it had ten: what
 * each further one holds, what all take while they are idle, and how soon one is woken.
 */
export async function thousand(): Promise<Record<string, Result>> {
  const crew = await openCrew();
  try {
    await crew.add();
    const one = await held();
    for (let n = 1; n < few; n += 1) await crew.add();
    const wakesOfFew = await wakes(crew);
    const ten = await held();
    for (let n = few; n < many; n += 1) await crew.add();
    const idle = await roundsOf(() => idlePercent(many), 3);
    const all = await held();
    const wakesOfAll = await wakes(crew);
    const further = many - few;
    return {
      "P15.heap": atMost(1.2, [(all.heap - ten.heap) / further / ((ten.heap - one.heap) / (few - 1))]),
      ...(process.platform === "linux" && { "P15.files": atMost(1, [(all.files - ten.files) / further]) }),
      "P15.idle": atMost(0.3, idle),
      "P15.wake": atMost(1.5, [wakesOfAll / wakesOfFew]),
    };
  } finally {
    await crew.close();
  }
}

/** Milliseconds, the 99th of a hundred, until a teammate is woken that a message was sent to. */
async function wakes(crew: Crew): Promise<number> {
  const costs: number[] = [];
  for (let n = 0; n < 100; n += 1) costs.push(await crew.wake(n * 37));
  return costs.sort((a, b) => a - b)[98] ?? Number.NaN;
}

/**
 * The percentage of a core that a hundred of them take. The first look after they began is not one
 * of idle agents: V8 goes on with what they have left.
 */
export async function idlePercent(agents: number): Promise<number> {
  const before = process.cpuUsage();
  await delay(idleMs);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1_000 / agents / idleMs) * 100 * 100;
}

/** What this process holds once all that can be collected is gone. */
export async function held() {
  setFlagsFromString("--expose_gc");
  const collect = runInNewContext("gc") as () => void;
  for (let n = 0; n < 3; n += 1) {
    await delay(50);
    collect();
  }
  const active = process.getActiveResourcesInfo();
  const count = (kind: string) => active.filter((one) => one === kind).length;
  return {
    heap: process.memoryUsage().heapUsed,
    watches: count("FSEventWrap"),
    timers: count("Timeout"),
    files: process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0,
  };
}
