import type { Model } from "./models.ts";
import { invalid, type Refusal } from "./refusal.ts";
import type { MessagesRequest } from "./request.ts";
import { brokenToolResults } from "./tool-result-rules.ts";

export interface RuleInput {
  readonly request: MessagesRequest;
  readonly model: Model;
  /** The value of the `anthropic-version` header: dates, so later ones sort behind. */
  readonly version: string;
}

/** The problem of a request, in the words of the API. */
type Check = (input: RuleInput) => string | undefined;

export type Rules = "answer" | "count";

const strictVersion = "2026-10-21";

const sampling: Check = ({ request, version }) => {
  const name = (["temperature", "top_p", "top_k"] as const).find((key) => request[key] !== undefined);
  return name !== undefined && version >= strictVersion ? `${name}: Extra inputs are not permitted` : undefined;
};

const limits: Check = ({ request: { max_tokens }, model: { maxOutputTokens } }) => {
  if (max_tokens === undefined) return "max_tokens: Field required";
  if (!Number.isInteger(max_tokens) || max_tokens < 0) return "max_tokens: Input should be a whole number, 0 or more";
  if (maxOutputTokens === undefined || max_tokens <= maxOutputTokens) return undefined;
  return `max_tokens: ${max_tokens} > ${maxOutputTokens}, the maximum of output tokens of this model`;
};

const isForced = ({ tool_choice }: MessagesRequest) => tool_choice?.type === "any" || tool_choice?.type === "tool";

/** A request that only writes the cache may ask for nothing that needs an answer. */
const preWarm: Check = ({ request }) => {
  if (request.max_tokens !== 0) return undefined;
  const { stream, thinking, output_config } = request;
  if (stream === true) return "max_tokens: 0 cannot be streamed";
  if (thinking?.type === "enabled") return "max_tokens: 0 cannot be used with thinking enabled";
  if (output_config?.format) return "max_tokens: 0 cannot be used with structured output";
  return isForced(request) ? "max_tokens: 0 cannot be used with a forced tool" : undefined;
};

const toolChoice: Check = ({ request, model }) => {
  const { tool_choice, tools } = request;
  if (isForced(request) && model.refusesForcedTools)
    return `tool_choice: forcing a tool is not supported by ${model.id}`;
  if (tool_choice?.type !== "tool" || tools.some(({ name }) => name === tool_choice.name)) return undefined;
  return `tool_choice.name: tool '${tool_choice.name}' not found in provided tools`;
};

const toolNames: Check = ({ request: { tools } }) => {
  const names = tools.map(({ name }) => name);
  return new Set(names).size === names.length ? undefined : "tools: Tool names must be unique.";
};

const disabledThinking: Check = ({ request: { thinking }, model }) =>
  thinking?.type === "disabled" && model.refusesDisabledThinking
    ? `thinking.type: 'disabled' is not supported by ${model.id}`
    : undefined;

const roles: Check = ({ request: { messages }, model }) => {
  const spoken = messages.filter(({ role }) => role !== "system");
  if (spoken.length === 0) return "messages: at least one message is required";
  if (spoken[0]?.role !== "user") return 'messages: first message must use the "user" role';
  if (spoken.length !== messages.length && model.refusesSystemMessages) {
    return `messages: role 'system' is not supported by ${model.id}`;
  }
  if (messages.at(-1)?.role !== "assistant" || !model.refusesPrefill) return undefined;
  return `messages: ${model.id} does not support a prefilled answer; the conversation must end with a user message`;
};

const contents: Check = ({ request: { messages }, version }) => {
  for (const [n, { role, content, output_config }] of messages.entries()) {
    const mayBeEmpty =
      role === "system" ? output_config !== undefined : role === "assistant" && n === messages.length - 1;
    if (content.length === 0 && !mayBeEmpty) {
      return `messages.${n}: all messages must have non-empty content except for the optional final assistant message`;
    }
    const empty = content.findIndex((block) => block.type === "text" && block["text"] === "");
    if (empty !== -1) {
      const marked = content[empty]?.cache_control ? "cache_control cannot be set for empty text blocks" : undefined;
      return `messages.${n}.content.${empty}: ${marked ?? "text content blocks must be non-empty"}`;
    }
    if (version < strictVersion) continue;
    if (role === "assistant" && content.some(({ type }) => type === "document")) {
      return `messages.${n}: 'document' blocks are not permitted in assistant messages`;
    }
    if (role === "user" && content.some((block) => block.type === "text" && block["citations"])) {
      return `messages.${n}: text.citations: Extra inputs are not permitted in user messages`;
    }
  }
  return undefined;
};

const toolResults: Check = ({ request }) => brokenToolResults(request.messages);

const ofConversation = [roles, contents, toolResults, toolNames];
const checks: Readonly<Record<Rules, readonly Check[]>> = {
  answer: [limits, sampling, preWarm, ...ofConversation, toolChoice, disabledThinking],
  count: ofConversation,
};

/** The first rule that a request breaks. */
export function refusalOf(input: RuleInput, rules: Rules): Refusal | undefined {
  for (const check of checks[rules]) {
    const complaint = check(input);
    if (complaint !== undefined) return invalid(complaint);
  }
  return undefined;
}
