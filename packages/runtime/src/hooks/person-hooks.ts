import { timeLimit } from "@troupe/store";
import type { Origin, Priority } from "../journal/entry.ts";
import type { Block } from "../model/model.ts";
import { type Queue, textBlocks } from "../queue.ts";
import type { Hooks } from "./hooks.ts";

/** How long the hooks of SessionEnd may take, as in the reference client. */
const endMs = 1_500;

/** Hooks at what a person does: begins a session, says something, ends it. */
export interface PersonHooks {
  /** Heard with the next words, and not before there are any. */
  began(source: "startup" | "resume", signal: AbortSignal): Promise<void>;
  /** Keeps what is to be heard with the next words; `now`, it is heard before them. */
  note(content: string, priority?: Priority): void;
  /** Lets be heard what was kept, if there are words of whatever source. */
  flush(isMail?: boolean): void;
  /**
   * Why what was typed is refused; else it is told as it is given, if it is words for the model,
   * with what hooks add to it.
   */
  said(typed: string, content: readonly Block[] | undefined, signal: AbortSignal): Promise<string | undefined>;
  ended(): Promise<void>;
}

export interface PersonHooksDeps {
  readonly hooks: Hooks;
  readonly queue: Queue;
  /** Shows a hook's message, or its error, to the user. */
  readonly show: (message: string) => void;
}

export function personHooks({ hooks, queue, show }: PersonHooksDeps): PersonHooks {
  const unheard: { readonly origin: Origin; readonly text: string; readonly priority?: Priority | undefined }[] = [];
  const hear = (origin: Origin, text: string, priority: Priority = "next") =>
    void queue.enqueue({ mode: "prompt", origin, priority, content: textBlocks(text) });
  const fire: Hooks["fire"] = async (event, fields, signal) => {
    const outcome = await hooks.fire(event, fields, signal);
    for (const message of [...outcome.messages, ...outcome.errors]) show(message);
    return outcome;
  };
  const hearKept = () => {
    for (const { origin, text, priority } of unheard.splice(0)) hear(origin, text, priority);
  };
  const of = (event: string): Origin => ({ kind: "hook", event });
  return {
    async began(source, signal) {
      const { context } = await fire("SessionStart", { source }, signal);
      unheard.push(...context.map((text) => ({ origin: of("SessionStart"), text })));
    },
    note: (text, priority) => void unheard.push({ origin: { kind: "human" }, text, priority }),
    flush(isMail = false) {
      if (isMail || queue.waiting().length > 0) hearKept();
    },
    async said(typed, content, signal) {
      const { block, stop, context } = await fire("UserPromptSubmit", { prompt: typed }, signal);
      const refusal = stop?.reason ?? block;
      if (refusal !== undefined) return refusal;
      if (content) {
        queue.enqueue({ mode: "prompt", origin: { kind: "human" }, content });
        // A turn that has just begun takes these words without asking for what was kept.
        hearKept();
      }
      for (const text of context)
        if (content) hear(of("UserPromptSubmit"), text);
        else unheard.push({ origin: of("UserPromptSubmit"), text });
      return undefined;
    },
    async ended() {
      await fire("SessionEnd", { reason: "other" }, timeLimit(endMs));
    },
  };
}
