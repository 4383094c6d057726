import { type Ask, oneAtATime } from "@troupe/team";
import type { Person, SessionEvent } from "./session.ts";

/** The person at a session, one question at a time, with what watchers are told of it. */
export function screenOf(person: Person, onEvent: (event: SessionEvent) => void) {
  const ask: Ask = oneAtATime(async (question, signal) => {
    onEvent({ kind: "question", question });
    const reply = await person.ask(question, signal);
    onEvent({ kind: "question_closed", id: question.id, reply });
    return reply;
  });
  const show = (text: string): void => {
    person.show?.(text);
    onEvent({ kind: "shown", text });
  };
  return { ask, show };
}
