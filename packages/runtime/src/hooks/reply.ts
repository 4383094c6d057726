import { readHookOutput } from "@troupe/protocol/hooks";
import type { HookReply } from "./outcome.ts";

/**
 * Reads what a hook printed or answered: a decision, plain text, or what was meant as a decision
 * and is none.
 */
export function readReply(text: string): HookReply {
  const { output, problems } = readHookOutput(text);
  const [problem] = problems;
  if (problem) return { meaning: "error", reason: `${problem.message}; ${problem.fix}` };
  return output ? { meaning: "pass", output } : { meaning: "pass", text };
}
