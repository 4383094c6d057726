import { createHash } from "node:crypto";
import type { Model } from "./models.ts";
import type { CacheControl, ContentBlock, MessagesRequest, RequestTool } from "./request.ts";

/** Counts the tokens of a text. */
export type Tokenize = (text: string) => number;

/** A quarter of the bytes, rounded up: easy to work out by hand. */
export const quarterOfBytes: Tokenize = (text) => Math.ceil(Buffer.byteLength(text) / 4);

/** One step of the prefix that the cache sees. */
export interface Position {
  /** Its path in the request, as error messages name it. */
  readonly path: string;
  readonly type: string;
  readonly tokens: number;
  /** The hash of everything up to and including this position. */
  readonly hash: string;
  readonly canBeMarked: boolean;
  readonly mark?: CacheControl;
}

export const chained = (hash: string, ...parts: readonly unknown[]): string =>
  createHash("sha256")
    .update(JSON.stringify([hash, ...parts]))
    .digest("hex");

const withoutMark = ({ cache_control: _, ...rest }: ContentBlock): object => rest;

const sublist = (content: unknown): unknown =>
  Array.isArray(content) ? content.map((block: ContentBlock) => rendered(block)) : content;

/**
 * What of a block enters the prompt: marks do not, nor does how a string of content was written.
 */
export function rendered(block: ContentBlock): unknown {
  const { type, content } = block;
  if (type === "text") return [type, block["text"], block["citations"] ?? null];
  if (type === "tool_use") return [type, block["id"], block["name"], block["input"]];
  if (type === "tool_result") return [type, block["tool_use_id"], block["is_error"] ?? false, sublist(content ?? "")];
  return withoutMark(block);
}

/** The text whose tokens are counted: of a block that is not plain text, its JSON. */
export function countedText(block: ContentBlock): string {
  const { type, content } = block;
  if (type === "text") return String(block["text"]);
  if (type === "thinking") return String(block["thinking"]);
  if (type === "tool_result" && typeof content === "string") return content;
  if (type === "tool_result" && Array.isArray(content)) return content.map(countedText).join("");
  return JSON.stringify(rendered(block));
}

const isThinking = (type: string) => type === "thinking" || type === "redacted_thinking";
const isWebSearch = (tool: RequestTool) => tool.type?.startsWith("web_search") === true;
const within = (block: ContentBlock): readonly ContentBlock[] => {
  const nested = block["content"];
  return Array.isArray(nested) ? [block, ...nested] : [block];
};

export interface PositionsDeps {
  readonly model: Model;
  readonly tokenize: Tokenize;
  /** Blocks that the server leaves out of the prompt. */
  readonly dropped?: ReadonlySet<ContentBlock>;
}

/** The prefix of a request: tools, system, messages, in the order of rendering and caching. */
export function positionsOf(
  request: MessagesRequest,
  { model, tokenize, dropped }: PositionsDeps,
): readonly Position[] {
  const { tools, system, messages, thinking, tool_choice, speed, output_config } = request;
  const everything = messages.flatMap(({ content }) => content.flatMap(within));
  const config = [thinking ?? null, output_config?.effort ?? "high"];
  const positions: Position[] = [];
  let hash = chained("", model.id, model.rendersConfigAhead ? config : null);
  const add = (path: string, type: string, part: unknown, counted: string, mark?: CacheControl | null) => {
    hash = chained(hash, part);
    const canBeMarked = !isThinking(type) && !(type === "text" && counted === "");
    positions.push({ path, type, tokens: tokenize(counted), hash, canBeMarked, ...(mark && { mark }) });
  };
  for (const [n, tool] of tools.entries()) {
    if (tool.defer_loading === true || isWebSearch(tool)) continue;
    const { cache_control, ...definition } = tool;
    add(`tools.${n}`, "tool", ["tool", definition], JSON.stringify(definition), cache_control);
  }
  const hasCitations = everything.some(
    ({ citations }) => (citations as { enabled?: boolean } | null)?.enabled === true,
  );
  hash = chained(hash, "system", speed ?? "standard", tools.filter(isWebSearch).map(rendersAs), hasCitations);
  for (const [n, block] of system.entries()) {
    add(`system.${n}`, block.type, ["system", rendered(block)], countedText(block), block.cache_control);
  }
  const choice = tool_choice?.disable_parallel_tool_use ?? false;
  const hasImages = everything.some(({ type }) => type === "image");
  hash = chained(hash, "messages", tool_choice?.type ?? "auto", tool_choice?.name ?? null, choice, hasImages, config);
  for (const [n, { role, content }] of messages.entries()) {
    for (const [i, block] of content.entries()) {
      if (dropped?.has(block)) continue;
      const path = `messages.${n}.content.${i}`;
      add(path, block.type, [role, rendered(block)], countedText(block), block.cache_control);
    }
  }
  return positions;
}

const rendersAs = ({ cache_control: _, ...definition }: RequestTool): object => definition;
