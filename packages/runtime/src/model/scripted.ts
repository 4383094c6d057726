import type { FrozenRequest } from "./frozen.ts";
import type { Answer, Block, Model, ModelFailure } from "./model.ts";
import { noUsage } from "./model.ts";

/**
 * One line of a scripted model: content, an answer with more than its content, or a failure; a
 * function decides by what it is asked.
 */
export type Line = readonly Block[] | (Pick<Answer, "content"> & Partial<Answer>) | ModelFailure;
export type Script = readonly Line[] | ((request: FrozenRequest, nth: number) => Line);

/**
 * A model that says what it was told to say, for tests and rehearsals. Past its last line it fails,
 * saying so.
 */
export function scriptedModel(script: Script): Model {
  let asked = 0;
  return async function* (request, signal) {
    const nth = asked++;
    const line = typeof script === "function" ? script(request, nth) : script[nth];
    yield { kind: "begun" };
    if (signal.aborted) yield { kind: "failed", failure: { kind: "aborted", message: "the call was cancelled" } };
    else if (!line)
      yield { kind: "failed", failure: { kind: "invalid", message: `the script has no line ${nth + 1}` } };
    else if ("kind" in line) yield { kind: "failed", failure: line };
    else yield { kind: "answered", answer: answerOf("content" in line ? line : { content: line }, request, nth) };
  };
}

function answerOf(said: Pick<Answer, "content"> & Partial<Answer>, { key }: FrozenRequest, nth: number): Answer {
  const stopReason = said.content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  return { id: `msg_${nth + 1}`, model: key.model, stopReason, usage: noUsage, ...said };
}
