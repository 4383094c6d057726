import { messageOf } from "@troupe/protocol";
import { type HookInputCommon, type KnownHook, PromptHookAnswer, promptWithInput } from "@troupe/protocol/hooks";
import { aborted, timeLimit } from "@troupe/store";
import type { HookReply } from "./outcome.ts";

export type JudgingHook = Extract<KnownHook, { type: "prompt" | "agent" }>;

/** Puts a question to a model, or to an agent with tools, and gives its last words. */
export type Ask = (
  question: { readonly prompt: string; readonly model?: string },
  signal: AbortSignal,
) => Promise<string>;

const howToAnswer =
  'Answer with one JSON object and nothing else: {"ok": true}, or {"ok": false, "reason": "why not"}. Add "impossible": true when no further attempt can succeed.';

/** Events that an agent meets again and again until a hook lets it stop. */
const stops = new Set(["Stop", "SubagentStop"]);

/** Asks for a verdict on the event. What cannot be achieved keeps no agent from stopping. */
export async function runJudgingHook(
  { prompt, model }: JudgingHook,
  input: HookInputCommon,
  ask: Ask | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HookReply> {
  const error = (reason: string): HookReply => ({ meaning: "error", reason });
  if (!ask) return error("needs a model, and there is none here");
  const deadline = timeLimit(timeoutMs);
  const ending = AbortSignal.any([signal, deadline]);
  const question = { prompt: `${promptWithInput(prompt, input)}\n\n${howToAnswer}`, ...(model ? { model } : {}) };
  try {
    const words = await Promise.race([ask(question, ending), aborted(ending)]);
    if (words === undefined) throw ending.reason;
    const answer = PromptHookAnswer.safeParse(JSON.parse(objectIn(words)));
    if (!answer.success) return error("the model gave no verdict");
    const { ok, reason = "", impossible = false } = answer.data;
    if (ok) return { meaning: "pass" };
    return impossible && stops.has(input.hook_event_name)
      ? { meaning: "pass", output: { systemMessage: reason } }
      : { meaning: "block", reason };
  } catch (failure) {
    if (signal.aborted) return error("was cancelled");
    if (deadline.aborted) return error(`took longer than ${timeoutMs / 1_000} s`);
    return error(failure instanceof SyntaxError ? "the model gave no verdict" : messageOf(failure));
  }
}

/** Models like to put a fence or a sentence around what they were asked for. */
const objectIn = (words: string): string => words.slice(words.indexOf("{"), words.lastIndexOf("}") + 1);
