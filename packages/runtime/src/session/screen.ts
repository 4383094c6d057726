import { setImmediate as nextRound } from "node:timers/promises";
import { inTurn } from "@troupe/store";
import { type Ask, lateAnswer, takenBack } from "@troupe/team";
import { type Queue, textBlocks } from "../queue.ts";
import type { Person, SessionEvent } from "./session.ts";

/** A question that nobody answers for a day is answered with no. */
export const askedMs = 24 * 60 * 60 * 1_000;

export interface ScreenDeps {
  readonly person: Person;
  readonly queue: Pick<Queue, "notify">;
  readonly onEvent: (event: SessionEvent) => void;
}

/**
 * The person at a session, one question at a time, with what watchers are told of it. A yes that
 * comes after its question was given up runs nothing: the agent hears of it with its next turn.
 */
export function screenOf({ person, queue, onEvent }: ScreenDeps) {
  const ask: Ask = oneAtATime(async (question, signal) => {
    onEvent({ kind: "question", question });
    const reply = await person.ask(question, signal);
    onEvent({ kind: "question_closed", id: question.id, reply });
    // A no is what the agent was told by then; what another agent asked is that agent's affair.
    if (signal.aborted && reply.behavior === "allow" && question.from === undefined) {
      const { call, tool } = question;
      queue.notify({
        mode: "orphaned-permission",
        origin: { kind: "permission", call },
        content: textBlocks(lateAnswer(`whether ${tool} may run (${call})`, "it was allowed")),
      });
    }
    return reply;
  });
  const show = (text: string): void => {
    person.show?.(text);
    onEvent({ kind: "shown", text });
  };
  return { ask, show };
}

/**
 * Many agents ask, one screen shows: each question when the one before it is off the screen, and
 * not at all when it was taken back or is settled by then. The screen must be free again soon after
 * the signal of its question fires.
 */
function oneAtATime(screen: Ask): Ask {
  const turn = inTurn();
  return (question, signal) => {
    const reply = turn(() => (signal.aborted ? takenBack : (question.recheck?.() ?? screen(question, signal))));
    // The asker takes what an answer grants some steps after it is given; only then can the
    // next question be settled by it.
    void turn(() => nextRound());
    return reply;
  };
}
