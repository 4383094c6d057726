import { describe, expect, test } from "vitest";
import { answered, called, fold, input, result, said, toolUse, words } from "../../test/entries.ts";
import type { Entry } from "../journal/entry.ts";
import type { FailureKind, Usage } from "../model/model.ts";
import { type Action, decide, type Limits } from "./decide.ts";

const limits: Limits = { compactAt: 1_000, maxFailures: 2, maxContinuations: 2, maxStopBlocks: 2 };
const start: Entry[] = [input("i1"), said("go", "i1")];
const calls = [toolUse("t1"), toolUse("t2")];
const ask: Action = { do: "ask", afterMs: 0 };
const failed = (kind: FailureKind, during: "answer" | "summary" = "answer", retryAfterMs?: number): Entry => ({
  kind: "failed",
  failure: { kind, message: "", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  during,
});
const stop = (stopReason: string, content = [words("so far")]) => answered(content, { stopReason });
const aborted: Entry = { kind: "aborted", reason: "task_stop" };
const done: Entry = { kind: "ended", terminal: { isOk: true, why: "completed", text: "done" } };
const blocked: Entry = { kind: "stop_checked", verdict: { stops: false, because: "tests are red" } };
const goOn: Entry = { kind: "said", content: [words("go on")], inputs: [] };
const usageOf = (input: number): Usage => ({ input, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 });
const full = answered([toolUse("t1")], { usage: usageOf(1_000) });
const nearlyFull = answered([toolUse("t1")], { usage: usageOf(980) });
const compacted: Entry = { kind: "compacted", summary: "s", trigger: "auto", preTokens: 1, usage: usageOf(0) };
const checked: Entry = { kind: "stop_checked", verdict: { stops: true } };
const tooMuch = "model_context_window_exceeded";
const ended = (why: string, more: object = {}) => ({ do: "end", terminal: { isOk: false, why, ...more } });
const finished = (text: string) => ({ do: "end", terminal: { isOk: true, why: "completed", text } });
const shortResult: Entry = { kind: "result", call: "t1", content: [], isError: false };

type Row = readonly [title: string, entries: readonly (Entry | readonly Entry[])[], action: object, Partial<Limits>?];

const rows: Record<string, readonly Row[]> = {
  "at rest": [
    ["an agent that was told nothing", [], { do: "rest" }],
    ["an agent that has ended", [start, stop("end_turn"), done], { do: "rest" }],
    ["words at rest, urgent ones first", [input("a", "later"), input("b"), input("c", "now")], consumed("c", "b", "a")],
    ["words after an end", [start, stop("end_turn"), done, input("a", "later")], consumed("a")],
  ],
  "before a request": [
    ["what was said is asked", [start], ask],
    ["more words are taken first", [start, input("b"), input("c", "now")], consumed("c", "b")],
    ["words for later wait", [start, input("b", "later")], ask],
    ["a request without an answer is made again", [start, { kind: "asked", result: "x" }], ask],
    ["results are asked", [start, answered(calls), result("t1"), result("t2")], ask],
    ["words that arrived during the calls go with the results", [start, full, result("t1"), input("b")], consumed("b")],
    ["one turn below the limit", [start, answered(calls.slice(1)), result("t2")], ask, { maxTurns: 2 }],
    ["at the limit of turns", [start, answered(calls.slice(1)), result("t2")], ended("max_turns"), { maxTurns: 1 }],
    ["one token below the budget", [start, nearlyFull, shortResult], ask, { maxTokens: 981 }],
    ["at the budget", [start, nearlyFull, shortResult], ended("budget"), { maxTokens: 980 }],
    ["one token below a full context", [start, nearlyFull, shortResult], ask, { compactAt: 995 }],
    [
      "a full context",
      [start, nearlyFull, shortResult],
      { do: "compact", trigger: "auto", afterMs: 0 },
      { compactAt: 994 },
    ],
    ["a summary that is long itself is not summarised", [start, full, result("t1"), compacted], ask, { compactAt: 1 }],
    ["full once more", [start, compacted, full, result("t1")], { do: "compact", trigger: "auto", afterMs: 0 }],
    ["nothing but words is not summarised", [start], ask, { compactAt: 0 }],
  ],
  "calls without results": [
    ["calls that have not begun", [start, answered(calls)], { do: "run_tools", calls: [{ id: "t1" }, { id: "t2" }] }],
    ["those that are left", [start, answered(calls), result("t1")], { do: "run_tools", calls: [{ id: "t2" }] }],
    [
      "one that began and may begin again",
      [start, answered(calls), called("t1", true)],
      { do: "run_tools", calls: [{ id: "t1" }, { id: "t2" }] },
    ],
    ["one that began and may not", [start, answered(calls), called("t1")], given("interrupted", "t1")],
    ["an answer that was cut", [start, stop("max_tokens", calls)], given("truncated", "t1", "t2")],
    ["an answer that was refused in a call", [start, stop("refusal", calls)], given("truncated", "t1", "t2")],
    ["an answer that filled the window in a call", [start, stop(tooMuch, calls)], given("truncated", "t1", "t2")],
    ["one whose input was cut", [start, answered(calls, { cut: ["t2"] })], given("cut", "t2")],
    [
      "the whole ones beside it",
      [start, answered(calls, { cut: ["t2"] }), result("t2")],
      { do: "run_tools", calls: [{ id: "t1" }] },
    ],
    ["an abort", [start, answered(calls), called("t1", true), aborted], given("aborted", "t1", "t2")],
    ["words wait until the calls are answered", [start, answered(calls), input("b", "now")], { do: "run_tools" }],
  ],
  "after an answer": [
    ["the hook is asked whether it may stop", [start, stop("end_turn")], { do: "check_stop" }],
    ["it may", [start, stop("end_turn"), checked], finished("so far")],
    ["a reason to stop that is not known", [start, stop("new_reason"), checked], finished("so far")],
    ["it may not", [start, stop("end_turn"), blocked], ask],
    ["blocked once below the limit", [start, stop("end_turn"), blocked, stop("end_turn")], { do: "check_stop" }],
    [
      "blocked up to the limit",
      [start, stop("end_turn"), blocked, stop("end_turn"), blocked, stop("end_turn")],
      finished("so far"),
    ],
    ["something arrived", [start, stop("end_turn"), input("b", "later"), input("c")], consumed("c")],
    ["something for later", [start, stop("end_turn"), input("b", "later")], consumed("b")],
    ["words were taken after it was allowed to stop", [start, stop("end_turn"), checked, input("b")], consumed("b")],
    ["a pause is sent back as it is", [start, stop("pause_turn"), input("b", "now")], ask],
    ["a pause at the limit of turns", [start, stop("pause_turn")], ended("max_turns"), { maxTurns: 1 }],
    ["a refusal", [start, stop("refusal")], ended("refusal", { text: "so far" })],
    ["a refusal in a call", [start, stop("refusal", calls), result("t1"), result("t2")], ended("refusal")],
    ["a refusal, and more words", [start, stop("refusal"), input("b")], consumed("b")],
    ["the window is full", [start, stop(tooMuch)], { do: "compact", trigger: "overflow", afterMs: 0 }],
    ["the window is full after a summary", [start, stop("end_turn"), compacted, stop(tooMuch)], ended("overflow")],
    ["a text was cut", [start, stop("max_tokens")], { do: "continue", why: "truncated" }],
    ["an answer is empty", [start, stop("end_turn", [])], { do: "continue", why: "empty" }],
    [
      "cut once below the limit",
      [start, stop("max_tokens"), goOn, stop("max_tokens")],
      { do: "continue", why: "truncated" },
    ],
    [
      "cut up to the limit",
      [start, stop("max_tokens"), goOn, stop("max_tokens"), goOn, stop("max_tokens")],
      { do: "check_stop" },
    ],
    ["calls were cut up to the limit", [start, cutCalls(), cutCalls()], ask],
    ["calls were cut beyond it", [start, cutCalls(), cutCalls(), cutCalls()], ended("model_error")],
  ],
  "after a failure": [
    ["a first", [start, failed("server")], { do: "ask", afterMs: 500 }],
    ["as many as may be", [start, failed("network"), failed("overloaded")], { do: "ask", afterMs: 1_000 }],
    [
      "one more",
      [start, failed("server"), failed("server"), failed("server")],
      ended("model_error", { failure: { kind: "server" } }),
    ],
    [
      "many: the wait has an end",
      [start, ...Array.from({ length: 9 }, () => failed("server"))],
      { do: "ask", afterMs: 8_000 },
      { maxFailures: 9 },
    ],
    ["with a time to wait", [start, failed("rate_limited", "answer", 7)], { do: "ask", afterMs: 7 }],
    ["with words that arrived", [start, failed("server"), input("b")], consumed("b")],
    [
      "of a summary",
      [start, full, result("t1"), failed("server", "summary")],
      { do: "compact", trigger: "auto", afterMs: 500 },
    ],
    ["superseded", [start, failed("superseded"), input("b", "now")], consumed("b")],
    ["superseded by nothing", [start, failed("superseded")], ask],
    [
      "the request was too long",
      [start, answered(calls.slice(1)), result("t2"), failed("overflow")],
      { do: "compact", trigger: "overflow" },
    ],
    ["too long from the beginning", [start, failed("overflow")], ended("overflow")],
    ["too long after a summary", [start, stop("end_turn"), compacted, failed("overflow")], ended("overflow")],
    ["too long for a summary", [start, full, result("t1"), failed("overflow", "summary")], ended("overflow")],
    ...(["invalid", "unauthorized", "spend_limited"] as const).map(
      (kind): Row => [
        `that will not pass: ${kind}`,
        [start, failed(kind)],
        ended("model_error", { failure: { kind } }),
      ],
    ),
    ["and an end: new words are asked", [start, failed("invalid"), { ...done }, input("b"), said("b", "b")], ask],
  ],
  "after an abort": [
    ["nothing is begun", [start, aborted], ended("aborted", { reason: "task_stop" })],
    ["an abort goes ahead of a failure", [start, failed("server"), aborted], ended("aborted")],
    ["what waits goes on waiting", [start, input("b", "now"), aborted], ended("aborted")],
  ],
};

function consumed(...inputs: string[]): Action {
  return { do: "consume", inputs };
}
function given(why: string, ...ids: string[]) {
  return { do: "answer_calls", why, calls: ids.map((id) => ({ id })) };
}
function cutCalls(): Entry[] {
  return [...stop("max_tokens", [toolUse("t1")]), result("t1")];
}

describe.each(Object.entries(rows))("%s", (_, table) => {
  for (const [title, entries, action, more] of table)
    test(title, () => expect(decide(fold(...entries), { ...limits, ...more })).toMatchObject(action));
});
