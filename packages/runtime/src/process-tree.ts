import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly session: number;
}

const graceMs = 1_000;
const lookMs = 20;
const maxRounds = 50;

/**
 * Ends what was started by a process that leads a session of its own: first politely, then for good. What is found is its session, who descends
 * from it, and the sessions of these; a process that made itself a session and whose parent is gone is not found. Where there is no
 * /proc, only the group of the leader is ended. Resolves with how many there were.
 */
export async function endTree(leader: number): Promise<number> {
  const sessions = new Set([leader]);
  const look = () => (existsSync("/proc/self/stat") ? membersOf(sessions) : [-leader].filter((id) => isReached(id, 0)));
  const all = freeze(look);
  if (all.length === 0) return 0;
  for (const signal of ["SIGTERM", "SIGCONT"] as const) for (const id of all) isReached(id, signal);
  for (const patience = AbortSignal.timeout(graceMs); !patience.aborted; await delay(lookMs)) {
    if (look().length === 0) return all.length;
  }
  for (let round = 0; round < maxRounds && look().length > 0; round += 1) {
    for (const id of freeze(look)) isReached(id, "SIGKILL");
    await delay(lookMs);
  }
  return all.length;
}

/** Stops all of them, until none is new: who still runs while the others are ended can have a child that nobody finds. */
function freeze(look: () => readonly number[]): readonly number[] {
  const frozen = new Set<number>();
  for (let before = -1; before < frozen.size; ) {
    before = frozen.size;
    for (const id of look()) if (!frozen.has(id) && isReached(id, "SIGSTOP")) frozen.add(id);
  }
  return [...frozen];
}

/** Also adds to the sessions those that are found on the way: their members stay known when their parents have gone. */
function membersOf(sessions: Set<number>): readonly number[] {
  const processes = runningProcesses();
  const members = new Set<number>();
  for (let before = -1; before < members.size; ) {
    before = members.size;
    for (const { id, parent, session } of processes) {
      if (members.has(id) || (!members.has(parent) && !sessions.has(session))) continue;
      members.add(id);
      sessions.add(session);
    }
  }
  return [...members];
}

/** Those that are dead already and only wait to be counted are left out. */
function runningProcesses(): readonly Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent, , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" || state === "X"
        ? []
        : [{ id: Number(name), parent: Number(parent), session: Number(session) }];
    } catch {
      return [];
    }
  });
}

function isReached(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch {
    return false;
  }
}
