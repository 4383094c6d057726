import type { Participant, Team } from "@troupe/store";
import type { Ledger } from "../src/ledger/ledger.ts";

/** A process as a test sees it: it ends between two writes, and nothing of it happens then. */
export interface Life {
  /** What it wrote, in order. */
  readonly written: readonly string[];
  /** Resolves once it has ended. */
  readonly ended: Promise<void>;
  isOver(): boolean;
  ledger(ledger: Ledger): Ledger;
  team(team: Team): Team;
  self(self: Participant): Participant;
}

const forever = <T>(): Promise<T> => new Promise(() => {});

/** A life that ends before the write behind so many; one that does not end, where none is said. */
export function lifeOf(writes = Number.POSITIVE_INFINITY): Life {
  const written: string[] = [];
  const onEnd: (() => unknown)[] = [];
  let isOver = false;
  const ended = new Promise<void>((resolve) => onEnd.push(resolve));

  function begins(what: string): boolean {
    if (!isOver && written.length >= writes) {
      isOver = true;
      for (const one of onEnd) one();
    }
    if (!isOver) written.push(what);
    return !isOver;
  }
  const write = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    if (!begins(what)) return forever();
    const done = await work();
    return isOver ? forever() : done;
  };

  return {
    written,
    ended,
    isOver: () => isOver,
    ledger: (ledger) => ({
      state: ledger.state,
      append(entry) {
        if (!begins(entry.kind)) throw new Error("this process has ended");
        ledger.append(entry);
      },
    }),
    team: (team) => ({
      ...team,
      leave: (name) => write("leave", () => team.leave(name)),
      tasks: { ...team.tasks, release: (...args) => write("release", () => team.tasks.release(...args)) },
    }),
    self: (self) => ({
      ...self,
      send: (...args) => write("send", () => self.send(...args)),
      async receive() {
        const lease = await self.receive();
        // The next process need not wait until the lease looks forgotten.
        onEnd.push(lease.release);
        if (isOver) await lease.release();
        const take = async () => (isOver ? forever<never>() : lease.take());
        return { ...lease, take, acknowledge: (keys) => write("acknowledge", () => lease.acknowledge(keys)) };
      },
    }),
  };
}
