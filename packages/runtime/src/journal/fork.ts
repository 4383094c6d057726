import { type FrozenMessage, freeze } from "../model/frozen.ts";
import type { Block } from "../model/model.ts";
import { type Chain, link } from "./chain.ts";
import { forkTag } from "./fork-tag.ts";
import { emptyState, type State } from "./state.ts";

/**
 * The result of every call of the shared answer, in each fork and in the parent: the same bytes, so
 * that all share one cache entry.
 */
export const forkPlaceholder = "Fork started — processing in background";

/**
 * A fork begins with its parent's whole conversation up to the answer that started it. Nothing is
 * copied or rendered again, so its prefix is the parent's by construction; only the directive that
 * follows is its own.
 */
export function forked({ prefix, past, calls, callsAt, sentEnd, tokens, lastLine, answer }: State): State {
  const results = calls.map((call) => ({ ...call, hasStarted: true, result: placeholderFor(call.id) }));
  return { ...emptyState, isFork: true, prefix, past, calls: results, callsAt, sentEnd, tokens, lastLine, answer };
}

const placeholderFor = (call: string): string =>
  freeze({ type: "tool_result", tool_use_id: call, content: [{ type: "text", text: forkPlaceholder }] });

/** The words for a fork after the placeholders. */
export const directive = (task: string): readonly Block[] => [
  {
    type: "text",
    text: `<${forkTag}>\nYou are a fork of the conversation above: you know all it knows, and work beside it. Do the task yourself, at once and
with your own tools; do not start further agents, do not ask back, do not go beyond the task. Your last message is your report: what you
did, what you found, which files you changed.\n</${forkTag}>\n\nYour directive: ${task}`,
  },
];

/**
 * The state of a conversation that goes on from these messages and stands in no file: what the
 * newest user message holds is said anew, with what follows.
 */
export function branched({ prefix, messages, sentEnd }: Branch): State {
  const newest = messages.at(-1);
  const isOpen = newest?.role === "user";
  let past: Chain | undefined;
  for (const message of isOpen ? messages.slice(0, -1) : messages) past = link(past, message);
  return { ...emptyState, isFork: true, prefix, past, said: isOpen ? newest.blocks : [], sentEnd };
}

interface Branch extends Pick<State, "prefix"> {
  readonly messages: readonly FrozenMessage[];
  readonly sentEnd?: State["sentEnd"];
}
