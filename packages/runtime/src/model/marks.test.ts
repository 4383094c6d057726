import fc from "fast-check";
import { expect, test } from "vitest";
import { answered, called, fold, input, result, said, toolUse, words } from "../../test/entries.ts";
import type { Entry } from "../journal/entry.ts";
import { conversationOf, emptyState, reduce, type State } from "../journal/state.ts";
import { type BlockPosition, type FrozenMessage, freeze, type Mark } from "./frozen.ts";
import { planMarks } from "./marks.ts";
import type { Block } from "./model.ts";

const thinking: Block = { type: "thinking", thinking: "hm", signature: "s" };
const results = (...ids: string[]) => ids.map((tool_use_id) => ({ type: "tool_result", tool_use_id, content: [] }));
const message = (role: FrozenMessage["role"], ...blocks: Block[]): FrozenMessage => ({
  role,
  blocks: blocks.map(freeze),
});
const user = (...blocks: Block[]) => message("user", ...blocks);
const assistant = (...blocks: Block[]) => message("assistant", ...blocks);
const plan = (messages: readonly FrozenMessage[], sentEnd?: BlockPosition, isContinued = true) =>
  planMarks({ messages, sentEnd, isContinued });
const at = (message: number, block: number): BlockPosition => ({ message, block });

test("the first request is marked at the system prompt and its end", () => {
  expect(plan([user(words("a"), words("b"))])).toEqual(["system", at(0, 1)]);
});

test("a later one is marked where the one before it ended, too", () => {
  const talk = [user(words("a")), assistant(thinking, toolUse("t")), user(...results("t"))];
  expect(plan(talk, at(0, 0))).toEqual(["system", at(0, 0), at(2, 0)]);
});

test("words behind results are the fourth place, so that the results alone can be shared", () => {
  const talk = [user(words("a")), assistant(toolUse("t"), toolUse("s")), user(...results("t", "s"), words("b"))];
  expect(plan(talk, at(0, 0))).toEqual(["system", at(0, 0), at(2, 1), at(2, 2)]);
});

test("a request that none will follow does not mark its end, but still reads where others ended", () => {
  const talk = [user(words("a")), assistant(toolUse("t")), user(...results("t"), words("b"))];
  expect(plan(talk, at(0, 0), false)).toEqual(["system", at(0, 0), at(2, 0)]);
});

test("no place is marked twice", () => {
  expect(plan([user(words("a"))], at(0, 0))).toEqual(["system", at(0, 0)]);
});

test("thinking and empty texts carry no mark, what stands before them does", () => {
  const redacted = { type: "redacted_thinking", data: "x" };
  const paused = [user(words("a")), assistant(words("b"), thinking, redacted, words(""))];
  expect(plan(paused, at(0, 0))).toEqual(["system", at(0, 0), at(1, 0)]);
  expect(plan([user(words("a")), assistant(thinking)], at(0, 0))).toEqual(["system", at(0, 0)]);
});

/**
 * Blocks of an answer, and the number of words that follow it: far more than a window of lookback.
 */
const turn = fc.record({
  blocks: fc.array(
    fc.constantFrom<Block>(words("x"), thinking, { type: "server_tool_use", id: "s", name: "n", input: {} }),
    { maxLength: 45 },
  ),
  calls: fc.nat(45),
  said: fc.nat(30),
  isPaused: fc.boolean(),
});

const flat = (messages: readonly FrozenMessage[], mark: Mark): number =>
  mark === "system"
    ? 0
    : messages.slice(0, mark.message).reduce((sum, { blocks }) => sum + blocks.length, 0) + mark.block + 1;

test("however long the turns are, what one request wrote is found by the next within twenty positions of a mark", () => {
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
      let count = 0;
      let state: State = emptyState;
      const add = (...entries: Entry[]) => {
        for (const entry of entries)
          state = reduce(state, { ...entry, id: entry.kind === "answered" ? `a${count}` : `e${count}`, at: "" });
      };
      const request = () => {
        const messages = conversationOf(state);
        const marks = planMarks({ messages, sentEnd: state.sentEnd, isContinued: true });
        expect(marks.length).toBeLessThanOrEqual(4);
        return marks.map((mark) => flat(messages, mark));
      };
      add(input("i"), said("go", "i"));
      let written = request();
      for (const { blocks, calls, said: words, isPaused } of turns) {
        count += 1;
        const ids = isPaused ? [] : Array.from({ length: calls }, (_, nth) => `t${count}-${nth}`);
        const [, answer] = answered([...blocks, ...ids.map((id) => toolUse(id))], {
          stopReason: isPaused ? "pause_turn" : "end_turn",
        });
        add(
          { kind: "asked", result: `a${count}` },
          ...(answer ? [answer] : []),
          ...ids.map((id) => called(id)),
          ...ids.map((id) => result(id)),
        );
        if (!isPaused)
          for (let nth = 0; nth < words || (nth === 0 && ids.length === 0); nth += 1) add(said("more", `m${nth}`));
        const marks = request();
        const newest = Math.max(...written);
        expect(marks.some((mark) => mark >= newest && mark - newest < 20)).toBe(true);
        written = marks;
      }
    }),
  );
});

test("where a paused answer ended is marked when it has gone on", () => {
  const paused = [...answered([words("a"), words("b")], { stopReason: "pause_turn" })];
  const state = fold(said("go", "i"), paused, answered([words("c"), toolUse("t")]), result("t"));
  expect(state.sentEnd).toEqual(at(1, 1));
  expect(plan(conversationOf(state), state.sentEnd)).toEqual(["system", at(1, 1), at(2, 0)]);
});
