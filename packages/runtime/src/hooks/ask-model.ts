import { freeze } from "../model/frozen.ts";
import type { Model } from "../model/model.ts";
import type { Ask } from "./prompt-hook.ts";

export interface AskModelDeps {
  readonly model: Model;
  /**
   * The id of the model that a hook asks for by any of its names, or of the one for hooks that do
   * not care.
   */
  readonly idOf: (name: string | undefined) => string;
}

/** A verdict is short, and the model may think before it. */
const maxTokens = 4_000;

/**
 * Puts questions to a model outside any conversation: it knows what the question says and nothing
 * else.
 */
export const askModel =
  ({ model, idOf }: AskModelDeps): Ask =>
  async ({ prompt, model: name }, signal) => {
    const messages = [{ role: "user", blocks: [freeze({ type: "text", text: prompt })] }] as const;
    const request = { key: { model: idOf(name), betas: [] }, tools: [], system: [], messages, marks: [], maxTokens };
    for await (const event of model(request, signal)) {
      if (event.kind === "failed") throw new Error(event.failure.message);
      if (event.kind === "answered") return event.answer.content.map(({ text = "" }) => text).join("");
    }
    throw new Error("the model gave no answer");
  };
