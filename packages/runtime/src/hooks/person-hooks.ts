import { type Queue, textBlocks } from "../queue.ts";
import type { Hooks } from "./hooks.ts";

/** How long the hooks of SessionEnd may take, as in the reference client. */
const endMs = 1_500;

/** What hooks have to say about what a person does: begins a session, says something, ends it. */
export interface PersonHooks {
  /** Heard with the next words, and not before there are any. */
  began(source: "startup" | "resume", signal: AbortSignal): Promise<void>;
  /** Lets be heard what was said since. */
  flush(): void;
  /** Why the words are refused; else they are told, with what hooks add to them. */
  said(text: string, tell: (text: string) => void, signal: AbortSignal): Promise<string | undefined>;
  ended(): Promise<void>;
}

export function personHooks({ hooks, queue }: { readonly hooks: Hooks; readonly queue: Queue }): PersonHooks {
  const unheard: string[] = [];
  const hear = (text: string, event: string) =>
    void queue.enqueue({ mode: "prompt", origin: { kind: "hook", event }, content: textBlocks(text) });
  return {
    async began(source, signal) {
      unheard.push(...(await hooks.fire("SessionStart", { source }, signal)).context);
    },
    flush() {
      if (queue.waiting().length > 0) for (const text of unheard.splice(0)) hear(text, "SessionStart");
    },
    async said(text, tell, signal) {
      const { block, stop, context } = await hooks.fire("UserPromptSubmit", { prompt: text }, signal);
      const refusal = stop?.reason ?? block;
      if (refusal !== undefined) return refusal;
      tell(text);
      for (const one of context) hear(one, "UserPromptSubmit");
      return undefined;
    },
    async ended() {
      await hooks.fire("SessionEnd", { reason: "other" }, AbortSignal.timeout(endMs));
    },
  };
}
