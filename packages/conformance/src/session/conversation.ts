import { isRecord } from "../record.ts";

/** A tool as a session offers it to its model. */
interface OfferedTool {
  readonly name: string;
  readonly input_schema?: { readonly properties?: Readonly<Record<string, unknown>> };
}

/** A request to the model, as far as the suite looks at it. */
export interface ModelRequest {
  readonly model?: unknown;
  readonly system?: unknown;
  readonly tools: readonly OfferedTool[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  /** The bytes as they came. */
  readonly body: string;
}

/** What a tool answered. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** The mark that tells agents apart: it stands in the first thing that each is told. */
export const markOf = (name: string): string => `agent:${name}.`;

type Block = Readonly<Record<string, unknown>>;

const blocksOf = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isRecord) : [];
};

const userBlocks = ({ messages }: Pick<ModelRequest, "messages">): readonly Block[] =>
  messages.filter(({ role }) => role !== "assistant").flatMap(({ content }) => blocksOf(content));

const textOf = (block: Block): string => {
  if (block["type"] === "text") return String(block["text"] ?? "");
  if (block["type"] !== "tool_result") return "";
  return blocksOf(block["content"]).map(textOf).join("\n");
};

/**
 * The agent of a request: the last mark in what it was told, so that one that was told more than
 * its parent is itself. Undefined for a title or another by-work, which offers no tools.
 */
export function agentOf({ tools, messages }: ModelRequest): string | undefined {
  if (tools.length === 0) return undefined;
  const told = userBlocks({ messages })
    .filter(({ type }) => type === "text")
    .map(textOf)
    .join("\n");
  return [...told.matchAll(/agent:([\w-]+)\./g)].at(-1)?.[1];
}

/** All that an agent was told in words, results of tools too; its own words are left out. */
export const toldTo = (request: Pick<ModelRequest, "messages">): string => userBlocks(request).map(textOf).join("\n");

/** How often these words stand in what an agent was told. */
export const countIn = (request: Pick<ModelRequest, "messages">, words: string): number =>
  toldTo(request).split(words).length - 1;

/** The results of these calls in their order; undefined until all are there. */
export function resultsOf(request: ModelRequest, ids: readonly string[]): readonly ToolResult[] | undefined {
  const found = userBlocks(request).filter(({ type }) => type === "tool_result");
  const results = ids.map((id) => found.find((block) => block["tool_use_id"] === id));
  if (results.some((result) => result === undefined)) return undefined;
  return results.map((result) => ({ text: textOf(result ?? {}), isError: result?.["is_error"] === true }));
}
