import type { Entry } from "../journal/entry.ts";
import type { Call } from "../journal/state.ts";
import type { Ports, Tool, ToolOutcome } from "./ports.ts";

/** Calls that run at once; more wait for the next segment. */
const widest = 10;

interface Work {
  readonly call: Call;
  readonly tool: Tool | undefined;
}

/**
 * Runs the calls in their order; neighbours that are safe together run together. Every result is written down the moment it exists.
 * What is not answered when the signal fires is left to the decision that follows.
 */
export async function* runCalls<Written>(
  calls: readonly Call[],
  { tools, limits }: Pick<Ports, "tools" | "limits">,
  signal: AbortSignal,
  write: (entry: Entry) => Written,
): AsyncGenerator<Written> {
  const toolOf = (call: Call) => tools.find(({ definition }) => definition.name === call.name);
  for (const segment of segmentsOf(calls.map((call) => ({ call, tool: toolOf(call) })))) {
    if (signal.aborted) return;
    for (const { call, tool } of segment)
      yield write({ kind: "called", call: call.id, isReplayable: tool?.isReplayable ?? true });
    if (signal.aborted) return;
    const grace = graceAfter(signal, limits.graceMs);
    const running = segment.map(async (work) => {
      const outcome = await Promise.race([outcomeOf(work, signal), grace.over]);
      if (!outcome) return undefined;
      const { content, isError = false } = outcome;
      return write({ kind: "result", call: work.call.id, content, isError });
    });
    const settled = await Promise.allSettled(running);
    grace.end();
    for (const one of settled) {
      if (one.status === "rejected") throw one.reason;
      if (one.value !== undefined) yield one.value;
    }
  }
}

/** Neighbours that are safe together, and each other call alone. */
export function segmentsOf(work: readonly Work[]): readonly (readonly Work[])[] {
  const segments: Work[][] = [];
  let isOpen = false;
  for (const one of work) {
    const isSafe = one.tool === undefined || isConcurrent(one.tool, one.call.input);
    const segment = segments.at(-1);
    if (isSafe && isOpen && segment && segment.length < widest) segment.push(one);
    else segments.push([one]);
    isOpen = isSafe;
  }
  return segments;
}

function isConcurrent(tool: Tool, input: unknown): boolean {
  try {
    return tool.isConcurrent(input);
  } catch {
    return false;
  }
}

async function outcomeOf({ call, tool }: Work, signal: AbortSignal): Promise<ToolOutcome> {
  if (!tool) return failed(`There is no tool called ${JSON.stringify(call.name)}.`);
  try {
    return await tool.run(call.input, { call: call.id, signal });
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

const failed = (message: string): ToolOutcome => ({ content: [{ type: "text", text: message }], isError: true });

/** Resolves with undefined some time after the signal, so that a tool that does not listen cannot hold up the rest. */
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
