import type { Session, SessionEvent } from "@troupe/runtime";
import { isAnyAtWork, readDoings } from "@troupe/team";

/** What a lead that nobody talks to waits for: teammates that are at work. */
export interface TeammateWatch {
  add(event: SessionEvent): void;
  /**
   * Whether one is at work, or has left the lead mail. The disk is looked at: what was seen of them
   * may be late.
   */
  isAnyAtWork(session: Pick<Session, "membership">): Promise<boolean>;
  /** Resolves with the next thing that is seen of a teammate. */
  change(): Promise<void>;
}

export function createTeammateWatch(): TeammateWatch {
  const living = new Map<string, boolean>();
  const readers = new WeakMap<object, ReturnType<typeof readDoings>>();
  let hasSeen = false;
  let waiting: (() => void)[] = [];
  return {
    add(event) {
      if (event.kind !== "teammate") return;
      hasSeen = true;
      const { name, seen } = event;
      if (seen.kind === "ended") living.delete(name);
      else living.set(name, seen.kind !== "idle");
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    async isAnyAtWork({ membership }) {
      const member = membership();
      if (!member || !hasSeen) return false;
      const { team } = member;
      const read = readers.get(team) ?? readDoings(team);
      readers.set(team, read);
      // Who goes to rest, or agrees to end, has written to the lead before.
      return (living.size > 0 && (await isAnyAtWork(team, living, read))) || (await member.offer()) > 0;
    },
    change: () => new Promise((resolve) => void waiting.push(resolve)),
  };
}
