import type { MessagesRequest } from "./request.ts";
import type { Reply, Rule, RuleContext } from "./script.ts";

export interface FakeAgentsOptions {
  /** Names the agent of a request; undefined for a request that is none's, such as for a title. */
  readonly nameOf: (request: MessagesRequest, context: RuleContext) => string | undefined;
  /** The answer where no reply waits; `OK.` unless told. */
  readonly otherwise?: Reply;
}

/** One of several agents that share a server. */
export interface FakeAgent {
  readonly name: string;
  /** Its requests so far, in order of arrival. */
  readonly requests: readonly MessagesRequest[];
  /** Adds replies to its next requests, one each; a promise holds its request until it resolves. */
  push(...replies: readonly (Reply | Promise<Reply>)[]): void;
  /**
   * Resolves with what `look` finds in the last request, or in one to come; false and undefined are
   * nothing.
   */
  seen<T>(look: (request: MessagesRequest) => T | false | undefined, signal?: AbortSignal): Promise<T>;
}

export interface FakeAgents {
  /** Give it to `startFakeAnthropic`. */
  readonly rule: Rule;
  /** The agent of this name, whether it has asked anything yet or not. */
  agent(name: string): FakeAgent;
}

interface Watch {
  tell(request: MessagesRequest): void;
}

/** Scripts for agents that share a server, told apart by what stands in their requests. */
export function createAgents({ nameOf, otherwise = "OK." }: FakeAgentsOptions): FakeAgents {
  const agents = new Map<string, ReturnType<typeof createAgent>>();
  function find(name: string) {
    const known = agents.get(name) ?? createAgent(name);
    agents.set(name, known);
    return known;
  }
  return {
    agent: (name) => find(name).agent,
    rule(request, context) {
      const name = nameOf(request, context);
      return (name === undefined ? undefined : find(name).answer(request)) ?? otherwise;
    },
  };
}

function createAgent(name: string) {
  const requests: MessagesRequest[] = [];
  const queue: (Reply | Promise<Reply>)[] = [];
  const watches = new Set<Watch>();
  const agent: FakeAgent = {
    name,
    requests,
    push: (...replies) => void queue.push(...replies),
    seen: (look, signal) =>
      new Promise((resolve, reject) => {
        const watch: Watch = {
          tell(request) {
            const found = look(request);
            if (found === undefined || found === false) return;
            watches.delete(watch);
            resolve(found);
          },
        };
        watches.add(watch);
        const give = () => {
          watches.delete(watch);
          reject(signal?.reason);
        };
        if (signal?.aborted) return give();
        signal?.addEventListener("abort", give, { once: true });
        const last = requests.at(-1);
        if (last) watch.tell(last);
      }),
  };
  return {
    agent,
    answer(request: MessagesRequest): Reply | Promise<Reply> | undefined {
      requests.push(request);
      for (const watch of [...watches]) watch.tell(request);
      return queue.shift();
    },
  };
}
