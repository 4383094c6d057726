import { setImmediate as nextRound } from "node:timers/promises";
import { type CommandDraft, textBlocks } from "../queue.ts";
import type { Ask, Question, Reply } from "./ask.ts";

const takenBack: Reply = { behavior: "deny", message: "the question was taken back" };

/** What a question comes to by now, where it needs no answer any more. */
export type Recheck = (question: Question) => Reply | undefined;

/**
 * Many agents ask, one screen shows: each question when the one before it is off the screen, and not at all when it was taken back or is
 * settled by then. The screen must be free again soon after the signal of its question fires.
 */
export function oneAtATime(screen: Ask, recheck: Recheck = () => undefined): Ask {
  let before: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const reply = before.then(() => (signal.aborted ? takenBack : (recheck(question) ?? screen(question, signal))));
    // Whoever asked takes what an answer grants some steps after it is given; only then can the next question be settled by it.
    const settled = () => nextRound();
    before = reply.then(settled, settled);
    return reply;
  };
}

/** An answer that came when its question did not wait any more. */
export interface LateReply {
  readonly id: string;
  readonly reply: Reply;
  /** Absent where an earlier run of the program asked it. */
  readonly question?: Question;
}

export interface QuestionsDeps {
  /** What waits is another list now. */
  readonly onChange?: () => void;
  /** Told once for each question, and never of one that was answered before. */
  readonly onLate?: (late: LateReply) => void;
}

/** Questions that lie open, for whoever answers them by their ids and in any order. */
export interface Questions {
  readonly ask: Ask;
  /** In the order in which they came. */
  waiting(): readonly Question[];
  /** True for the one answer that counts. */
  answer(id: string, reply: Reply): boolean;
}

export function createQuestions({ onChange = () => {}, onLate = () => {} }: QuestionsDeps = {}): Questions {
  const open = new Map<string, { readonly question: Question; readonly settle: (reply: Reply) => void }>();
  const givenUp = new Map<string, Question>();
  const answered = new Set<string>();

  const ask: Ask = (question, signal) =>
    new Promise((resolve) => {
      const settle = (reply: Reply) => {
        open.delete(question.id);
        signal.removeEventListener("abort", takeBack);
        resolve(reply);
        onChange();
      };
      const takeBack = () => {
        givenUp.set(question.id, question);
        settle(takenBack);
      };
      if (signal.aborted) return resolve(takenBack);
      open.set(question.id, { question, settle });
      signal.addEventListener("abort", takeBack);
      onChange();
    });

  function answer(id: string, reply: Reply): boolean {
    if (answered.has(id)) return false;
    answered.add(id);
    const asked = open.get(id);
    const question = givenUp.get(id);
    givenUp.delete(id);
    if (asked) asked.settle(reply);
    else onLate({ id, reply, ...(question && { question }) });
    return asked !== undefined;
  }

  return { ask, answer, waiting: () => [...open.values()].map(({ question }) => question) };
}

/** How an agent hears of an answer that came too late: whoever attends it deals with that between two turns. */
export function orphanedPermission({ id, reply, question }: LateReply): CommandDraft {
  const what = question ? `whether ${question.tool} may run (${question.call})` : `the permission request ${id}`;
  const outcome = reply.behavior === "allow" ? "it was allowed" : `it was denied: ${reply.message}`;
  const text = `The answer to ${what} came after the request was given up: ${outcome}. Nothing was run for it; if the call is still wanted, make it again.`;
  return {
    mode: "orphaned-permission",
    origin: { kind: "permission", call: question?.call ?? id },
    content: textBlocks(text),
  };
}
