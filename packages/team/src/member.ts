import type { Message } from "@troupe/store";
import type { Delivered } from "./ledger/entry.ts";
import type { Question, Reply } from "./person.ts";

/** A message as it is offered to a member. */
export interface Incoming {
  readonly message: Message;
  /** What a model is told: the message, and behind it what it came to or how to answer it. */
  readonly texts: readonly string[];
  /** What the member's ledger says once the message is its own. */
  readonly entry: Delivered;
}

/** How a turn ended. */
export interface TurnEnd {
  /** What was said last. */
  readonly text: string;
  /** Why its work was not done. */
  readonly failure?: { readonly why: string; readonly message: string } | undefined;
}

/**
 * One that takes part in a team, as code: a session, a foreign agent or client, a person.
 */
export interface Member {
  /** Of a process its mail is its own: nobody takes any of it for it. */
  readonly kind: "session" | "acp" | "mcp" | "person" | "process";
  /**
   * An offer of all that waits. It returns the keys of what the member made its own, which stand in
   * its ledger by then; what it leaves is offered again. It is told with an empty list that nothing
   * waits any more.
   */
  hear(messages: readonly Incoming[]): Promise<readonly string[]> | readonly string[];
  /**
   * The next end of a turn. Asking for the next says that the lead was told of the one before.
   * Undefined: none comes any more, or it tells by itself.
   */
  turnEnded(signal: AbortSignal): Promise<TurnEnd | undefined>;
  /**
   * Undefined at once: the member hears the question as a message, and answers it by its own call.
   */
  ask(question: Question, signal: AbortSignal): Promise<Reply> | undefined;
  /** Resolves when nothing of it runs any more. */
  stop(reason: "shutdown" | "left" | "killed"): Promise<void>;
}
