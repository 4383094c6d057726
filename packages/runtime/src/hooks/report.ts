import type { HookOutcome } from "./outcome.ts";

/** Reports outside the conversation. */
export interface HookReports {
  /** Ends the agent: a hook said that it must not continue. */
  readonly stop: (reason: string) => void;
  /** Shows a hook's message, or its error, to the user. */
  readonly show: (message: string) => void;
}

/** Tells the user and the agent what an outcome holds for them, and gives it back. */
export function reported(outcome: HookOutcome, { stop, show }: HookReports): HookOutcome {
  for (const message of [...outcome.messages, ...outcome.errors]) show(message);
  if (outcome.stop) stop(outcome.stop.reason);
  return outcome;
}
