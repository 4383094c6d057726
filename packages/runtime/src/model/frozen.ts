import { createHash } from "node:crypto";
import type { Answer, Block } from "./model.ts";

/**
 * Settings that must be the same for two requests to share a cache entry, and for a model to accept
 * its own thinking again.
 */
export interface CacheKey {
  readonly model: string;
  readonly effort?: string;
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly toolChoice?: Readonly<Record<string, unknown>>;
  readonly speed?: string;
  readonly betas: readonly string[];
}

/**
 * A message as the JSON of its blocks: what was sent once is never rendered again, so it cannot
 * come out differently.
 */
export interface FrozenMessage {
  readonly role: "user" | "assistant";
  readonly blocks: readonly string[];
}

/** A block of a message. */
export interface BlockPosition {
  readonly message: number;
  readonly block: number;
}

/** Where the cache is asked to write: the end of the system prompt, or a block of a message. */
export type Mark = "system" | BlockPosition;

/** The prefix of a conversation; written down once, when the first request is made. */
export interface Prefix {
  readonly key: CacheKey;
  readonly tools: readonly string[];
  readonly system: readonly string[];
}

/** A request as the bytes that will be sent. */
export interface FrozenRequest extends Prefix {
  readonly messages: readonly FrozenMessage[];
  readonly marks: readonly Mark[];
  readonly maxTokens: number;
}

/**
 * The JSON of a block; parsing and freezing it again yields the same bytes, so a resumed session
 * sends what was sent.
 */
export const freeze = (block: Block | Readonly<Record<string, unknown>>): string => JSON.stringify(block);

/**
 * All blocks but empty texts, which the API refuses wherever they stand; inputs of calls as the
 * model wrote them.
 */
export function freezeAll(content: readonly Block[], written: Answer["written"] = []): readonly string[] {
  const jsonOf = new Map<unknown, string>(written.map(({ id, json }) => [id, json]));
  return content
    .filter(({ type, text }) => type !== "text" || text !== "")
    .map((block) => {
      const json = jsonOf.get(block["id"]);
      return json === undefined ? freeze(block) : freezeWritten(block, json);
    });
}

/**
 * Messages without what was thought in them: the API refuses it behind anything else than it was
 * thought behind, and from another model.
 */
export const withoutThinking = (messages: readonly FrozenMessage[]): readonly FrozenMessage[] =>
  messages.flatMap(({ role, blocks }) => {
    const rest = blocks.filter((block) => !isThinking(JSON.parse(block)));
    return rest.length > 0 ? [{ role, blocks: rest }] : [];
  });

const isThinking = ({ type }: Block): boolean => type === "thinking" || type === "redacted_thinking";

const freezeWritten = (block: Block, json: string): string =>
  `{${Object.entries(block)
    .map(([name, value]) => `${JSON.stringify(name)}:${name === "input" ? json : JSON.stringify(value)}`)
    .join(",")}}`;

/** The body of the request. */
export function bytesOf(request: FrozenRequest): string {
  const { key, tools, system, messages, marks, maxTokens } = request;
  const isMarked = (message: number, block: number) =>
    marks.some((mark) => mark !== "system" && mark.message === message && mark.block === block);
  const fields = [
    `"max_tokens":${maxTokens}`,
    `"stream":true`,
    ...keyFields(key),
    ...(tools.length > 0 ? [`"tools":[${tools.join(",")}]`] : []),
    ...(system.length > 0 ? [`"system":[${markLast(system, marks.includes("system")).join(",")}]`] : []),
    `"messages":[${messages.map((message, at) => render(message, (block) => isMarked(at, block))).join(",")}]`,
  ];
  return `{${fields.join(",")}}`;
}

const keyFields = ({ model, thinking, effort, speed, toolChoice }: CacheKey): readonly string[] => [
  `"model":${JSON.stringify(model)}`,
  ...(thinking ? [`"thinking":${JSON.stringify(thinking)}`] : []),
  ...(effort ? [`"output_config":${JSON.stringify({ effort })}`] : []),
  ...(speed ? [`"speed":${JSON.stringify(speed)}`] : []),
  ...(toolChoice ? [`"tool_choice":${JSON.stringify(toolChoice)}`] : []),
];

const render = ({ role, blocks }: FrozenMessage, isMarked: (block: number) => boolean): string =>
  `{"role":"${role}","content":[${blocks.map((block, at) => (isMarked(at) ? marked(block) : block)).join(",")}]}`;

const marked = (block: string): string => `${block.slice(0, -1)},"cache_control":{"type":"ephemeral"}}`;

const markLast = (blocks: readonly string[], isMarked: boolean): readonly string[] =>
  isMarked ? [...blocks.slice(0, -1), marked(blocks.at(-1) ?? "{}")] : blocks;

/**
 * One hash per position of the prompt that is wanted, each over all that stands before it: equal
 * arrays are equal prefixes.
 */
export function prefixHashes(
  { key, tools, system, messages }: Omit<FrozenRequest, "marks" | "maxTokens">,
  isWanted = (_position: number) => true,
): string[] {
  const chain = createHash("sha256").update(JSON.stringify([keyFields(key), key.betas]));
  const positions = [
    ...tools.map((tool) => `tool ${tool}`),
    ...system.map((block) => `system ${block}`),
    ...messages.flatMap(({ role, blocks }) => blocks.map((block) => `${role} ${block}`)),
  ];
  return positions.flatMap((position, at) => {
    chain.update(`\n${position}`);
    return isWanted(at) ? [chain.copy().digest("hex")] : [];
  });
}
