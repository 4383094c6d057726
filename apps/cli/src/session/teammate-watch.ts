import type { SessionEvent } from "@troupe/runtime";

/** What a lead that nobody talks to waits for: teammates that are at work. */
export interface TeammateWatch {
  add(event: SessionEvent): void;
  isAnyAtWork(): boolean;
  /** Resolves with the next thing that is seen of a teammate. */
  change(): Promise<void>;
}

export function createTeammateWatch(): TeammateWatch {
  const atWork = new Set<string>();
  let waiting: (() => void)[] = [];
  return {
    add(event) {
      if (event.kind !== "teammate") return;
      const { name, seen } = event;
      if (seen.kind === "idle" || seen.kind === "ended") atWork.delete(name);
      else atWork.add(name);
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    isAnyAtWork: () => atWork.size > 0,
    change: () => new Promise((resolve) => void waiting.push(resolve)),
  };
}
