import type { SessionEvent } from "@troupe/runtime";
import { expect, test } from "vitest";
import { emptyState, type Message, type State } from "./state.ts";
import { update } from "./update.ts";

const of = (event: SessionEvent, mate?: string): Message => ({ kind: "event", event, mate, at: 0 });
const after = (...messages: readonly Message[]): State =>
  messages.reduce((state, message) => update(state, message).state, emptyState);
const roster: Message = { kind: "mates", mates: [{ name: "ann", color: "blue" }] };
const recorded = (event: object): SessionEvent => ({
  kind: "recorded",
  recorded: { id: "1", at: "", by: "ann", event },
});
const runs = recorded({ kind: "tool", phase: "began", call: "c", tool: "Bash" });

test("a teammate in another process is seen by what it records, one in this process by its own events alone", () => {
  const [elsewhere] = after(roster, of(runs)).mates;
  expect(elsewhere?.talk.items).toEqual([{ kind: "notice", text: "ann runs Bash" }]);
  const [beside] = after(roster, of({ kind: "shown", text: "its own" }, "ann"), of(runs)).mates;
  expect(beside?.talk.items).toEqual([{ kind: "notice", text: "its own" }]);
});

test("what a teammate does is what its lead saw last, and it keeps its colour", () => {
  const seen = (kind: "working" | "needs_input"): Message => of({ kind: "teammate", name: "ann", seen: { kind } });
  expect(after(seen("working"), roster, seen("needs_input")).mates).toMatchObject([
    { name: "ann", color: "blue", doing: "needs input" },
  ]);
});

test("what was begun before the session was there is completed once it is", () => {
  const begun = update(emptyState, { kind: "key", key: { name: "text", text: "/mo" }, at: 0 }).state;
  expect(begun.completion).toBeUndefined();
  const talk = { ...begun.talk };
  const opened: Message = { kind: "opened", talk, history: [], commands: [], agents: [], models: [] };
  expect(update(begun, opened).state.completion?.options).toMatchObject([{ name: "model" }]);
});

test("what was said of a turn below the prompt is over with the turn, and how to leave is not", () => {
  const hint: Message = { kind: "hint", text: "it goes on in the background" };
  const ended = of({ kind: "turn_ended" } as SessionEvent);
  expect([after(hint).hint, after(hint, ended).hint]).toEqual(["it goes on in the background", undefined]);
  const leaving: Message = { kind: "key", key: { name: "ctrl+c" }, at: 0 };
  expect(after(leaving, ended).hint).toBe("ctrl+c once more leaves");
});

test("[UI-02] of an agent its calls are counted, and the last is named", () => {
  const agent = { id: "a1", description: "a look" };
  const content = ["ls", "pwd"].map((command, at) => ({
    type: "tool_use",
    id: `${at}`,
    name: "Bash",
    input: { command },
  }));
  const usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };
  const answer = { id: "m", model: "m", content, stopReason: "tool_use", usage };
  const event = {
    agent,
    kind: "entry",
    entry: { kind: "answered", answer, id: "e", at: "" },
  } as unknown as SessionEvent;
  const state = after(of(event), of(event));
  expect(state.progress).toEqual({ a1: { calls: 4, last: "Bash pwd" } });
  expect(state.talk.items).toEqual([]);
});
