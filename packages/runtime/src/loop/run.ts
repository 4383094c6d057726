import { messageOf } from "@troupe/protocol";
import { firstOf } from "@troupe/store";
import type { Entry, Stored, Terminal } from "../journal/entry.ts";
import { conversationOf } from "../journal/state.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import { planMarks } from "../model/marks.ts";
import type { ModelEvent } from "../model/model.ts";
import { reasonOf } from "./abort.ts";
import { compact, onceARound } from "./compact.ts";
import { type Action, decide } from "./decide.ts";
import { driveForked, type ForkedAgentDeps, type ForkedAgentResult } from "./forked-agent.ts";
import { pause } from "./pause.ts";
import type { Ports } from "./ports.ts";
import { runCalls } from "./segments.ts";

/**
 * The events of a run for a viewer: every entry that was written, and the model's words as they
 * come.
 */
export type RunEvent =
  | { readonly kind: "entry"; readonly entry: Stored }
  | Extract<ModelEvent, { readonly kind: "piece" }>;

/**
 * Drives an agent until it ends or rests: decide, do, write down. It returns how the run ended, or
 * undefined when there was nothing to do. Breaking out of the generator pauses the agent; running
 * it again resumes it.
 */
export async function* run<Agent>(
  given: Ports<Agent>,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, Terminal | undefined> {
  const ports = { ...given, ...(given.mayCompact && { mayCompact: onceARound(given.journal, given.mayCompact) }) };
  const { journal, inputs, limits } = ports;
  while (true) {
    await pause();
    for (const entry of (await inputs.hear?.()) ?? []) yield { kind: "entry", entry };
    const arrivals = inputs.take();
    const noted = arrivals.map(({ input }) => written(ports, { kind: "input", input }));
    for (const { acknowledge } of arrivals) await acknowledge?.();
    yield* noted;
    if (signal.aborted && !journal.state().aborted && !isAtRest(ports))
      yield written(ports, { kind: "aborted", reason: reasonOf(signal) });
    const action = decide(journal.state(), limits);
    if (action.do === "rest") return undefined;
    yield* perform(action, ports, signal);
    if (action.do === "end") return action.terminal;
  }
}

/**
 * Runs the loop on a side conversation that shares the bytes of another, for the runtime itself:
 * neither model hears of the other, and nothing of it stands in a transcript, a queue or a list of
 * jobs.
 */
export const runForkedAgent = <Agent>(deps: ForkedAgentDeps<Agent>): Promise<ForkedAgentResult> =>
  driveForked(run, deps);

/** Ports of most steps: the agent itself and its tools matter to its calls alone. */
type Way = Omit<Ports, "tools" | "agent">;

/** An abort ends what is going on; where nothing is, there is nothing to note. */
const isAtRest = ({ journal, limits }: Way): boolean => {
  const action = decide(journal.state(), limits);
  return action.do === "rest" || action.do === "end";
};

async function* perform<Agent>(action: Action, ports: Ports<Agent>, signal: AbortSignal): AsyncGenerator<RunEvent> {
  const state = ports.journal.state();
  switch (action.do) {
    case "ask":
      if (await waited(action.afterMs, ports, signal)) yield* ask(ports, signal);
      return;
    case "compact": {
      if (!(await waited(action.afterMs, ports, signal))) return;
      const came = await compact(action.trigger, ports, signal, run);
      if (came === "unwanted") yield* ask(ports, signal);
      else if (came) yield written(ports, came);
      return;
    }
    case "run_tools":
      yield* runCalls(action.calls, ports, signal, (entry) => written(ports, entry));
      return;
    case "answer_calls":
      for (const { id } of action.calls) {
        await pause();
        yield written(ports, { kind: "result", call: id, content: text(unanswered[action.why]), isError: true });
      }
      return;
    case "consume": {
      const inputs = action.inputs.flatMap((id) => state.waiting.filter((input) => input.id === id));
      yield written(ports, {
        kind: "said",
        content: inputs.flatMap(({ content }) => content),
        inputs: action.inputs,
      });
      return;
    }
    case "continue":
      yield written(ports, { kind: "said", content: text(goOn[action.why]), inputs: [] });
      return;
    case "check_stop": {
      const verdict = await ports.mayStop(state.answer?.text ?? "", state.stopBlocks > 0, signal);
      yield written(ports, { kind: "stop_checked", verdict });
      return;
    }
    case "end":
      yield written(ports, { kind: "ended", terminal: action.terminal });
      return;
    case "rest":
  }
}

/**
 * Waits as the API asked; false when something came up meanwhile that has to be looked at first.
 */
async function waited(ms: number, { sleep, inputs }: Way, signal: AbortSignal): Promise<boolean> {
  if (ms === 0) return !signal.aborted;
  let isUrgent = false;
  const urgent = async (until: AbortSignal) => {
    await inputs.whenUrgent(until);
    isUrgent = true;
  };
  // It listens before the sleep begins, so that nothing comes in between.
  await firstOf(
    signal,
    (until) => urgent(until).catch(() => {}),
    (until) => sleep(ms, until),
  );
  return !isUrgent && !signal.aborted;
}

const text = (words: string) => [{ type: "text", text: words }];

const unanswered = {
  aborted: "The call was cancelled before it ended.",
  cut: "The input of this call did not arrive as one whole JSON object, so the call was not run. Retry the call; if its input is long, split the work.",
  interrupted: "The call was interrupted, and it is unknown whether it took effect. Check before you retry it.",
  truncated: "The answer was cut off before its end, so its calls were not run. Retry the call with less input.",
};

const goOn = {
  truncated: "The answer was cut off at the token limit. Continue exactly where it stopped.",
  empty: "The answer was empty. Continue the work, or say in a sentence why you stop.",
};

const written = ({ journal }: Way, entry: Entry, id?: string): RunEvent => ({
  kind: "entry",
  entry: journal.append(entry, id),
});

/** One request and its answer, under an id that is known before it is sent. */
async function* ask(ports: Way, signal: AbortSignal): AsyncGenerator<RunEvent> {
  const { journal, newId, limits } = ports;
  const known = journal.state().prefix;
  const model = ports.switchedTo?.() ?? known?.key.model;
  if (!known) yield written(ports, { kind: "prefix", prefix: await ports.prefix() });
  else if (model !== undefined && model !== known.key.model)
    yield written(ports, { kind: "prefix", prefix: { ...known, key: { ...known.key, model } } });
  const { prefix, sentEnd, continuations, turns } = journal.state();
  if (!prefix) return;
  const messages = conversationOf(journal.state());
  const isContinued = turns + 1 < (limits.maxTurns ?? Number.POSITIVE_INFINITY);
  const request: FrozenRequest = {
    ...prefix,
    messages,
    marks: planMarks({ messages, sentEnd, isContinued }),
    maxTokens: Math.min(limits.answerTokens * 2 ** continuations, limits.maxAnswerTokens),
  };
  const result = newId();
  yield written(ports, { kind: "asked", result });
  for await (const event of called(ports, request, signal)) {
    if (event.kind === "piece") yield event;
    if (event.kind === "answered") yield written(ports, { kind: "answered", answer: event.answer }, result);
    if (event.kind === "failed") yield written(ports, { kind: "failed", failure: event.failure, during: "answer" });
  }
}

/**
 * The model, interrupted when something arrives that cannot wait. What an abort left of it is not a
 * failure: the abort says why.
 */
async function* called(
  { model, inputs }: Way,
  request: FrozenRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const urgent = new AbortController();
  const watching = new AbortController();
  void inputs.whenUrgent(watching.signal).then(
    () => urgent.abort("superseded"),
    () => {},
  );
  try {
    for await (const event of whole(() => model(request, AbortSignal.any([signal, urgent.signal])))) {
      if (event.kind !== "failed") yield event;
      else if (urgent.signal.aborted && !signal.aborted)
        yield { kind: "failed", failure: { ...event.failure, kind: "superseded" } };
      else if (!signal.aborted) yield event;
    }
  } finally {
    watching.abort();
  }
}

/**
 * A model that throws, or that ends without an end, breaks its promise: that is a failure like
 * another, and not the end of the process.
 */
async function* whole(call: () => AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  let isOver = false;
  let message = "the model ended without an answer";
  let iterator: AsyncIterator<ModelEvent> | undefined;
  const next = async () => {
    iterator ??= call()[Symbol.asyncIterator]();
    return await iterator.next();
  };
  try {
    for (;;) {
      const step = await next().catch((error: unknown) => {
        message = messageOf(error);
      });
      if (!step || step.done) break;
      if (!isOver) yield step.value;
      isOver ||= step.value.kind === "answered" || step.value.kind === "failed";
    }
  } finally {
    await iterator?.return?.();
  }
  if (!isOver) yield { kind: "failed", failure: { kind: "server", message } };
}
