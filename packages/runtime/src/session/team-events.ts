import { outcomeEvent, type TeamEvent } from "@troupe/team";
import type { Stored } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { SessionEvent } from "./session.ts";

/** Never rejects. */
type Recorder = (event: TeamEvent) => Promise<void>;

/** The turns of a session, as its team may know them. */
export interface TurnRecord {
  /** It is about to hear what may begin a turn. */
  began(): Promise<void>;
  /** It has nothing to do, and its lead knows. */
  rested(): Promise<void>;
  /** Told each event of its turns. */
  note(event: SessionEvent): void;
}

/**
 * Records what the team may know of the turns of a session: when they go, which tools run, and what
 * the member hears of its requests.
 */
export function recordTurns(journal: Pick<Journal, "state">, record: Recorder): TurnRecord {
  const begun = new Set<string>();
  let isInTurn = false;

  async function began(): Promise<void> {
    if (isInTurn) return;
    isInTurn = true;
    await record({ kind: "turn", phase: "began" });
  }

  function recordEntry(entry: Stored): void {
    switch (entry.kind) {
      case "input":
        if (entry.input.delivered?.settles) record(outcomeEvent(entry.input.delivered.settles));
        return;
      case "asked":
        void began();
        return;
      case "called": {
        const { call } = entry;
        const tool = journal.state().calls.find(({ id }) => id === call)?.name ?? "";
        begun.add(call);
        record({ kind: "tool", phase: "began", call, tool });
        return;
      }
      case "result":
        // One that was denied never began.
        if (begun.delete(entry.call))
          record({ kind: "tool", phase: "ended", call: entry.call, isError: entry.isError });
        return;
    }
  }

  return {
    began,
    async rested() {
      isInTurn = false;
      await record({ kind: "idle" });
    },
    note(event) {
      if (event.kind === "entry") recordEntry(event.entry);
      if (event.kind !== "turn_ended") return;
      isInTurn = false;
      record({ kind: "turn", phase: "ended", why: event.terminal.why });
    },
  };
}
