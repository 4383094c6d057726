import type { Ask, Reply } from "@troupe/team";

/** Answers of a person that were asked for before an agent began. */
export interface Beforehand {
  /** Answers a question by what was said before, where that is enough, and else asks the person. */
  readonly ask: Ask;
  /** Asks once about each tool; the answers hold for all calls of it. */
  prepare(
    tools: readonly string[],
    about: { readonly call: string; readonly reason: string; readonly newId: () => string },
    signal: AbortSignal,
  ): Promise<void>;
}

export function beforehand(person: Ask): Beforehand {
  const answers = new Map<string, Reply["behavior"]>();
  return {
    async ask(question, signal) {
      // What no rule could allow is asked about each time, whatever was said before.
      const answer = question.suggestions.length > 0 ? answers.get(question.tool) : undefined;
      if (answer === "allow") return { behavior: "allow" };
      if (answer === "deny") return { behavior: "deny", message: "it was denied before the agent began" };
      return person(question, signal);
    },
    async prepare(tools, { call, reason, newId }, signal) {
      for (const tool of tools) {
        const { behavior } = await person({ id: newId(), call, tool, input: {}, reason, suggestions: [] }, signal);
        answers.set(tool, behavior);
      }
    },
  };
}
