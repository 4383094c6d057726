import { formerToolNames, messageOf } from "@troupe/protocol";
import type { Entry } from "../journal/entry.ts";
import type { Call } from "../journal/state.ts";
import { pause } from "./pause.ts";
import type { Ports } from "./ports.ts";
import type { Judge, PendingCall, Tool, ToolContext, ToolOutcome } from "./tool.ts";

/** Calls that run at once; more wait for the next segment. */
const widest = 10;

/**
 * Judges the calls one by one, then runs them in their order; neighbours that are safe together run
 * together. Every result is written down the moment it exists. What is not answered when the signal
 * fires is left to the decision that follows.
 */
export async function* runCalls<Written, Agent>(
  calls: readonly Call[],
  {
    tools,
    whyLacking,
    agent,
    journal,
    limits,
    judge,
  }: Pick<Ports<Agent>, "tools" | "whyLacking" | "agent" | "journal" | "limits" | "judge">,
  signal: AbortSignal,
  write: (entry: Entry) => Written,
): AsyncGenerator<Written> {
  const answer = (call: string, { content, isError = false, tells }: ToolOutcome) => {
    const remark = judge?.remark?.();
    const said = remark === undefined ? content : [...content, { type: "text", text: remark }];
    const written = write({ kind: "result", call, content: said, isError, ...(tells && { tells: tells.end }) });
    tells?.kept();
    return written;
  };
  const { answer: asked, isFork } = journal.state();
  const caller = { agent, answer: asked?.id, isFork };
  const allowed: PendingCall<Agent>[] = [];
  for (const { id, name, input } of calls) {
    await pause();
    if (signal.aborted) return;
    const prepared = await prepare({ id, input, tool: toolNamed(tools, name) }, name);
    if ("refusal" in prepared) yield answer(id, failed(prepared.refusal));
    else allowed.push(prepared.call);
  }
  for (const segment of segmentsOf(allowed)) {
    if (signal.aborted) return;
    for (const { id, tool } of segment) yield write({ kind: "called", call: id, isReplayable: tool.isReplayable });
    if (signal.aborted) return;
    const grace = graceAfter(signal, limits.graceMs);
    const running: Promise<PromiseSettledResult<Written | undefined>[]>[] = [];
    for (const call of segment) {
      running.push(Promise.allSettled([run(call, grace.over)]));
      await pause();
    }
    const settled = (await Promise.all(running)).flat();
    grace.end();
    for (const one of settled) {
      if (one.status === "rejected") throw one.reason;
      if (one.value !== undefined) yield one.value;
    }
  }

  async function run(call: PendingCall<Agent>, over: Promise<undefined>): Promise<Written | undefined> {
    const outcome = await Promise.race([outcomeOf(call, caller, judge, signal), over]);
    return outcome && answer(call.id, outcome);
  }

  /** A call with an input that fits, which nobody objects to; or why it must not run. */
  async function prepare(
    { id, tool, input }: { id: string; tool: Tool<Agent> | undefined; input: unknown },
    name: string,
  ): Promise<{ readonly call: PendingCall<Agent> } | { readonly refusal: string }> {
    if (!tool) {
      const why = whyLacking?.(name);
      return { refusal: `There is no tool called ${JSON.stringify(name)}${why === undefined ? "" : ` here: ${why}`}.` };
    }
    try {
      const fault = faultOf(tool, input);
      if (fault !== undefined) return { refusal: fault };
      const judgement = (await judge?.before({ id, tool, input }, signal)) ?? { runs: true as const, input };
      if (!judgement.runs) return { refusal: judgement.message };
      const changed = faultOf(tool, judgement.input);
      const { bounds, notes } = judgement;
      return changed === undefined
        ? { call: { id, tool, input: judgement.input, bounds, notes } }
        : { refusal: changed };
    } catch (error) {
      return { refusal: `It could not be decided whether the call is allowed, so it was not run: ${messageOf(error)}` };
    }
  }
}

/** A model that learned the name which a tool once had calls the tool all the same. */
function toolNamed<Agent>(tools: readonly Tool<Agent>[], name: string): Tool<Agent> | undefined {
  const called = (one: string | undefined) => tools.find(({ definition }) => definition.name === one);
  return called(name) ?? called(formerToolNames.get(name));
}

/** Why a call must not run with this input. */
export function faultOf(tool: Tool<never>, input: unknown): string | undefined {
  const fault = tool.faultOf?.(input);
  return fault === undefined ? undefined : `The input of ${tool.definition.name} is not valid:\n${fault}`;
}

/** Neighbours that are safe together, and each other call alone. */
export function segmentsOf<Agent>(calls: readonly PendingCall<Agent>[]): readonly (readonly PendingCall<Agent>[])[] {
  const segments: PendingCall<Agent>[][] = [];
  let isOpen = false;
  for (const one of calls) {
    const isSafe = isConcurrent(one);
    const segment = segments.at(-1);
    if (isSafe && isOpen && segment && segment.length < widest) segment.push(one);
    else segments.push([one]);
    isOpen = isSafe;
  }
  return segments;
}

function isConcurrent({ tool, input }: PendingCall): boolean {
  try {
    return tool.isConcurrent(input);
  } catch {
    return false;
  }
}

async function outcomeOf<Agent>(
  call: PendingCall<Agent>,
  caller: Pick<ToolContext<Agent>, "agent" | "answer" | "isFork">,
  judge: Judge | undefined,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  let outcome: ToolOutcome;
  try {
    outcome = await call.tool.run(call.input, { ...caller, call: call.id, signal, bounds: call.bounds });
  } catch (error) {
    outcome = failed(messageOf(error));
  }
  try {
    return (await judge?.after?.(call, outcome, signal)) ?? outcome;
  } catch (error) {
    return {
      ...outcome,
      content: [...outcome.content, { type: "text", text: `Checking the result failed: ${messageOf(error)}` }],
    };
  }
}

const failed = (message: string): ToolOutcome => ({ content: [{ type: "text", text: message }], isError: true });

/**
 * Resolves with undefined some time after the signal, so that a tool that does not listen cannot
 * hold up the rest.
 */
function graceAfter(signal: AbortSignal, ms: number): { readonly over: Promise<undefined>; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  let start = () => {};
  const over = new Promise<undefined>((resolve) => {
    start = () => {
      timer = setTimeout(() => resolve(undefined), ms);
    };
  });
  signal.addEventListener("abort", start, { once: true });
  return {
    over,
    end() {
      signal.removeEventListener("abort", start);
      clearTimeout(timer);
    },
  };
}
