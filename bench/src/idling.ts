import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openSession, type Session, scriptedModel, seatOf } from "@troupe/runtime";
import type { Store } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { atMost, type Result } from "./measure.ts";

const teammates = 50;
/** How long what is idle is looked at. */
export const idleMs = 10_000;

/**
 * P7: what an idle teammate in this process costs besides the first one: KB of heap, watches and
 * timers; and the percentage of a core that a hundred of them take.
 */
export async function idling(): Promise<Record<string, Result>> {
  const home = mkdtempSync(join(tmpdir(), "troupe-idle-"));
  const root = join(home, ".claude");
  const over = new AbortController();
  const store = openFileStore({ root });
  const at = { createdAt: Date.now(), cwd: home };
  const team = await store.createTeam({ ...at, name: "crew", leadSessionId: "s", leadModel: "m" });
  const sessions: Session[] = [];
  const loops: Promise<void>[] = [];

  async function add(n: number): Promise<void> {
    const name = `mate-${n}`;
    await team.join({ name, agentType: "worker", model: "m", prompt: "", joinedAt: at.createdAt, cwd: home });
    let isIdle = () => {};
    const idle = new Promise<void>((resolve) => {
      isIdle = resolve;
    });
    const session = await openMate(store, { name, home, root }, isIdle);
    session.tell("Look around.");
    sessions.push(session);
    loops.push(attend(session, over.signal));
    await idle;
  }

  try {
    await add(0);
    const first = await held();
    for (let n = 1; n <= teammates; n += 1) await add(n);
    const all = await held();
    return {
      "P7.heap": atMost(20, [(all.heap - first.heap) / 1_024 / teammates]),
      "P7.watches": atMost(1, [(all.watches - first.watches) / teammates]),
      "P7.timers": atMost(1, [(all.timers - first.timers) / teammates]),
      "P7.idle": atMost(0.3, [(all.cpuMs / (teammates + 1) / idleMs) * 100 * 100]),
    };
  } finally {
    over.abort();
    await Promise.all(loops);
    await Promise.all(sessions.map((session) => session.close()));
    await store.close();
    rmSync(home, { recursive: true });
  }
}

async function openMate(store: Store, of: { name: string; home: string; root: string }, isIdle: () => void) {
  const { name, home, root } = of;
  const team = await store.openTeam("crew");
  if (!team) throw new Error("there is no team crew");
  return openSession({
    machine: { root, home, temporary: join(home, "tmp"), environment: {} },
    project: { cwd: home },
    role: "You work in a team.",
    key: { model: "m", betas: [] },
    model: scriptedModel(() => [{ type: "text", text: "done" }]),
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
    store,
    seat: { ...(await seatOf(team, name)), isSpawned: true, bridge: async () => undefined as never },
    onEvent: (event) => {
      if (event.kind === "state" && event.state === "idle") isIdle();
    },
  });
}

async function attend(session: Session, signal: AbortSignal): Promise<void> {
  const turns = session.attendTeam(signal);
  for (let step = await turns.next(); !step.done; step = await turns.next());
}

/** What this process holds once all that can be collected is gone, and what it does then. */
export async function held() {
  setFlagsFromString("--expose_gc");
  const collect = runInNewContext("gc") as () => void;
  for (let n = 0; n < 3; n += 1) {
    await delay(50);
    collect();
  }
  const before = process.cpuUsage();
  await delay(idleMs);
  const { user, system } = process.cpuUsage(before);
  const active = process.getActiveResourcesInfo();
  const count = (kind: string) => active.filter((one) => one === kind).length;
  return {
    heap: process.memoryUsage().heapUsed,
    watches: count("FSEventWrap"),
    timers: count("Timeout"),
    cpuMs: (user + system) / 1_000,
  };
}
