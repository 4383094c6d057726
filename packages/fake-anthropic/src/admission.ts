import type { IncomingHttpHeaders } from "node:http";
import { type Breakpoint, breakpointsOf } from "./breakpoints.ts";
import { type Model, modelOf } from "./models.ts";
import { type Position, positionsOf, type Tokenize } from "./positions.ts";
import { invalid, isRefusal, type Refusal, refuse } from "./refusal.ts";
import { type MessagesRequest, readRequest } from "./request.ts";
import { type Rules, refusalOf } from "./rules.ts";
import { type Thread, threadOf } from "./thinking.ts";

/** A request that the model would be run for. */
export interface Admitted {
  readonly request: MessagesRequest;
  readonly model: Model;
  readonly thread: Thread;
  readonly positions: readonly Position[];
  readonly breakpoints: readonly Breakpoint[];
  readonly tokens: number;
}

export interface AdmissionDeps {
  readonly models: readonly Model[];
  readonly tokenize: Tokenize;
  /** The rules besides those of the conversation: an answer, or only the count of its tokens. */
  readonly rules: Rules;
}

const bindingControls = "thinking-binding-controls-2026-08-01";

/** A client may ask to drop thinking blocks that no longer fit; this needs its beta header. */
function dropsMismatches({ thinking }: MessagesRequest, headers: IncomingHttpHeaders): boolean {
  const binding = thinking?.["block_binding"] as { prefix_mismatch_behavior?: string } | null | undefined;
  const hasBeta = String(headers["anthropic-beta"] ?? "").includes(bindingControls);
  return hasBeta && binding?.prefix_mismatch_behavior === "drop_block";
}

function refusedHeaders(headers: IncomingHttpHeaders): Refusal | undefined {
  if (headers["x-api-key"] === undefined && headers.authorization === undefined) {
    return refuse(401, "authentication_error", "x-api-key or authorization header is required");
  }
  return headers["anthropic-version"] === undefined ? invalid("anthropic-version: header is required") : undefined;
}

/**
 * Checks a request as the API does before running the model: key, shape, rules, length, in this
 * order.
 */
export function admit(json: unknown, headers: IncomingHttpHeaders, deps: AdmissionDeps): Admitted | Refusal {
  const refused = refusedHeaders(headers);
  if (refused !== undefined) return refused;
  const request = readRequest(json);
  if (isRefusal(request)) return request;
  const model = modelOf(deps.models, request.model);
  if (model === undefined) return refuse(404, "not_found_error", `model: ${request.model}`);
  const version = String(headers["anthropic-version"]);
  const broken = refusalOf({ request, model, version }, deps.rules);
  if (broken !== undefined) return broken;
  const thread = threadOf(request, model, dropsMismatches(request, headers));
  if (thread.refusal !== undefined) return thread.refusal;
  const positions = positionsOf(request, { model, tokenize: deps.tokenize, dropped: thread.dropped });
  const breakpoints = breakpointsOf(positions, request.cache_control);
  if (isRefusal(breakpoints)) return breakpoints;
  const tokens = positions.reduce((sum, position) => sum + position.tokens, 0);
  const most = model.contextTokens ?? Number.POSITIVE_INFINITY;
  if (tokens > most) return invalid(`prompt is too long: ${tokens} tokens > ${most} maximum`);
  return { request, model, thread, positions, breakpoints, tokens };
}
