import type { ContentBlock, MessagesRequest, RuleContext } from "@troupe/fake-anthropic";

/** The mark that tells agents apart: it stands in the first thing that each is told. */
export const markOf = (name: string): string => `agent:${name}`;

/**
 * The agent of a request; undefined for titles and for guesses at what a person types next. A
 * client that forgets what a long conversation began with says in a header that it is the lead's.
 */
export function agentOf(
  { messages, tools }: Pick<MessagesRequest, "messages" | "tools">,
  { headers }: Pick<RuleContext, "headers"> = { headers: {} },
): string | undefined {
  if (tools.length === 0) return undefined;
  const [last] = (messages.at(-1)?.content ?? []).filter(isText).slice(-1);
  if (last?.text.startsWith("[SUGGESTION MODE")) return undefined;
  if (headers["x-agent-purpose"] === "conversation") return "team-lead";
  return /agent:([\w-]+)/.exec(textOf(messages.slice(0, 1)))?.[1];
}

const isText = (block: ContentBlock): block is ContentBlock & { readonly text: string } =>
  block.type === "text" && typeof block["text"] === "string";

/** All that these messages say in words: texts, and results of tools. */
const textOf = (messages: MessagesRequest["messages"]): string =>
  messages.flatMap(({ content }) => content.flatMap(wordsOf)).join("\n");

/** What the agent was told: its own words and calls left out. */
export const toldTo = ({ messages }: Pick<MessagesRequest, "messages">): string =>
  textOf(messages.filter(({ role }) => role !== "assistant"));

function wordsOf(block: ContentBlock): readonly string[] {
  if (isText(block)) return [block.text];
  if (block.type !== "tool_result") return [];
  const { content } = block;
  if (typeof content === "string") return [content];
  return Array.isArray(content) ? content.flatMap(wordsOf) : [];
}

/** The results of these calls, in their order; undefined until all are there. */
export function resultsOf(
  { messages }: Pick<MessagesRequest, "messages">,
  ids: readonly string[],
): readonly string[] | undefined {
  const blocks = messages.flatMap(({ content }) => content).filter(({ type }) => type === "tool_result");
  const results = ids.map((id) => blocks.find((block) => block["tool_use_id"] === id));
  return results.every((result) => result !== undefined)
    ? results.map((result) => wordsOf(result).join("\n"))
    : undefined;
}

/** How often each of these marks stands in a text. */
export const countsOf = (text: string, marks: readonly string[]): ReadonlyMap<string, number> =>
  new Map(marks.map((mark) => [mark, text.split(mark).length - 1]));
