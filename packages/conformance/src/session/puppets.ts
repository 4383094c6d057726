import { agentOf, type ModelRequest, resultsOf, type ToolResult } from "./conversation.ts";
import type { Answer, Call, Saying } from "./model-endpoint.ts";
import type { Waiting } from "./waiting.ts";

/** An agent whose model the suite plays: nothing is answered until the suite says what. */
export interface Puppet {
  readonly name: string;
  /** Its requests so far, in the order they came. */
  readonly requests: readonly ModelRequest[];
  /** Whether its model is asked now: its turn is not over. */
  isAsked(): boolean;
  /** Resolves with the request that its model is asked with. */
  asked(): Promise<ModelRequest>;
  /** Its model calls these tools in one answer; their results, once it is asked again. */
  does(...calls: readonly Call[]): Promise<readonly ToolResult[]>;
  /** The same for what may end it, or its turn: nothing is waited for. */
  calls(...calls: readonly Call[]): Promise<void>;
  /** Its model says its last word, and its turn is over. */
  says(text: string): Promise<void>;
}

interface Held {
  readonly request: ModelRequest;
  readonly answer: (said: Saying) => void;
}

/**
 * All agents of one session and of those it starts, told apart by the marks in what they are told.
 */
export function openPuppets(
  waiting: () => Waiting,
  begins: (name: string) => void,
): { readonly answer: Answer; puppet(name: string): Puppet } {
  const known = new Map<string, { readonly requests: ModelRequest[]; readonly held: Held[] }>();
  const of = (name: string) => {
    const found = known.get(name) ?? { requests: [], held: [] };
    known.set(name, found);
    return found;
  };
  let count = 0;
  return {
    answer(request) {
      const name = agentOf(request);
      if (name === undefined) return Promise.resolve("A title");
      const { requests, held } = of(name);
      if (requests.length === 0) begins(name);
      requests.push(request);
      return new Promise((answer) => held.push({ request, answer }));
    },
    puppet(name) {
      const { requests, held } = of(name);
      const next = () => waiting().until(`a question to the model of ${name}`, () => held[0]);
      async function calls(...called: readonly Call[]): Promise<readonly string[]> {
        const { answer } = await next();
        held.shift();
        const ids = called.map(() => `toolu_${name}_${++count}`);
        answer(called.map((call, index) => ({ id: ids[index] ?? "", call })));
        return ids;
      }
      return {
        name,
        requests,
        isAsked: () => held.length > 0,
        asked: async () => (await next()).request,
        calls: async (...called) => void (await calls(...called)),
        async does(...called) {
          const ids = await calls(...called);
          const what = `the result of ${called[0]?.[0]} at the model of ${name}`;
          return waiting().until(what, () => held[0] && resultsOf(held[0].request, ids));
        },
        async says(text) {
          const { answer } = await next();
          held.shift();
          answer(text);
        },
      };
    },
  };
}
