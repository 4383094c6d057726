export { createAgents, type FakeAgent, type FakeAgents, type FakeAgentsOptions } from "./agents.ts";
export { type Bill, dollars, inputCost, promptTokens, type Usage } from "./billing.ts";
export type { Breakpoint, Ttl } from "./breakpoints.ts";
export { type Clock, createVirtualClock, realClock, type VirtualClock } from "./clock.ts";
export { fault } from "./fault.ts";
export { type Model, models, type Price } from "./models.ts";
export { type Position, quarterOfBytes, type Tokenize } from "./positions.ts";
export { type Charge, createPromptCache, type Prefix, type PromptCache } from "./prompt-cache.ts";
export type { Refusal } from "./refusal.ts";
export type { ContentBlock, MessagesRequest } from "./request.ts";
export type { Ending, LoggedRequest } from "./request-log.ts";
export {
  cutToolUse,
  type OtherBlock,
  type Reply,
  type ReplyBlock,
  type Rule,
  type RuleContext,
  type ScriptedAnswer,
  text,
  thinking,
  toolUse,
  writtenToolUse,
} from "./script.ts";
export { type FakeAnthropic, type FakeAnthropicOptions, startFakeAnthropic } from "./server.ts";
