import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** What is ended. */
export interface Tree {
  /** A process that leads a session, or did a moment ago; absent where its id may be another's. */
  readonly leader?: number | undefined;
  /**
   * An entry `NAME=value` that only the environments of its processes hold: finds those that left
   * the session and whose parents are gone.
   */
  readonly mark?: string | undefined;
  /** How long its processes may take to end by themselves, as git does to remove its locks. */
  readonly graceMs?: number | undefined;
}

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly session: number;
}

const lookMs = 20;
/** What was killed is gone once it has run again: seconds, where many wait for a processor. */
const maxRounds = 500;

/**
 * Ends everything started below a session leader: politely first, then by force. Found are its
 * session, its descendants and their sessions, and what has the mark; a process in its own session
 * whose parent is gone is not found without one. Without /proc only the leader's group is ended.
 * Resolves with their number, and how many of them cannot be ended.
 */
export async function endTree({ leader, mark, graceMs = 2_000 }: Tree): Promise<{ found: number; left: number }> {
  const sessions = new Set(leader === undefined ? [] : [leader]);
  const groups = [...sessions].map((id) => -id);
  const look = () =>
    existsSync("/proc/self/stat") ? membersOf(sessions, mark) : groups.filter((id) => isReached(id, 0));
  const all = freeze(look);
  const end = (left = 0) => ({ found: all.length, left });
  if (all.length === 0) return end();
  for (const signal of ["SIGTERM", "SIGCONT"] as const) for (const id of all) isReached(id, signal);
  for (const patience = AbortSignal.timeout(graceMs); !patience.aborted; await delay(lookMs)) {
    if (look().length === 0) return end();
  }
  for (let round = 0; round < maxRounds && look().length > 0; round += 1) {
    for (const id of freeze(look)) isReached(id, "SIGKILL");
    await delay(lookMs);
  }
  return end(look().length);
}

/**
 * Stops all of them until none is new: a process that still runs can start a child that is missed.
 */
function freeze(look: () => readonly number[]): readonly number[] {
  const frozen = new Set<number>();
  for (let before = -1; before < frozen.size; ) {
    before = frozen.size;
    for (const id of look()) if (!frozen.has(id) && isReached(id, "SIGSTOP")) frozen.add(id);
  }
  return [...frozen];
}

/**
 * Also records sessions found on the way, so that their members stay known when their parents exit.
 */
function membersOf(sessions: Set<number>, mark: string | undefined): readonly number[] {
  const processes = runningProcesses();
  const members = new Set(mark === undefined ? [] : processes.filter(isMarked(mark)).map(({ id }) => id));
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

/** Of another user's process the environment cannot be read, nor could it be ended. */
const isMarked = (mark: string) => {
  const entry = `\0${mark}\0`;
  return ({ id }: Process): boolean => {
    try {
      return `\0${readFileSync(`/proc/${id}/environ`, "latin1")}`.includes(entry);
    } catch {
      return false;
    }
  };
};

/**
 * Left out are zombies, which are dead and not yet reaped, and this process: a teammate that ends
 * its own team would stop itself, and nobody would end what it has stopped.
 */
function runningProcesses(): readonly Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
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
