import { type Ask, lateAnswer, oneAtATime } from "@troupe/team";
import { type Queue, textBlocks } from "../queue.ts";
import type { Person, SessionEvent } from "./session.ts";

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
