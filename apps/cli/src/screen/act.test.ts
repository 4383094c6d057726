import { expect, test } from "vitest";
import { type Effect, emptyState, type Message, restingStatus, type State } from "./state.ts";
import { emptyTalk } from "./talk.ts";
import { update } from "./update.ts";

const yesNo = {
  about: [],
  choices: [{ label: "Yes" }, { label: "No", takes: "any words" as const }],
  dismissing: "stops",
};

/** The screen after messages and keys: a word in brackets is a key, anything else is typed. */
function after(given: Partial<State>, ...steps: readonly (string | Message)[]) {
  let state: State = { ...emptyState, ...given };
  const effects: Effect[] = [];
  for (const [nth, step] of steps.entries()) {
    const at = nth * 10;
    const [, name] = typeof step === "string" ? (/^<(.*)>$/.exec(step) ?? []) : [];
    const key = name !== undefined ? { name } : { name: "text", text: String(step) };
    const updated = update(state, typeof step === "string" ? { kind: "key", key, at } : step);
    state = updated.state;
    effects.push(...updated.effects);
  }
  return { state, effects };
}

const ask = (at: number): Message => ({ kind: "ask", id: "q1", question: yesNo, at });
const working = { talk: { ...emptyTalk, doing: "speaking" as const } };

test("a line is sent with enter, several with a key or a backslash before, and the prompt is empty then", () => {
  const { state, effects } = after({}, "one", "<alt+enter>", "two\\", "<enter>", "three", "<enter>");
  expect(effects).toEqual([{ do: "submit", text: "one\ntwo\nthree" }]);
  expect(state.editor.text).toBe("");
});

test("what was typed before comes back with the arrows, and the draft after it", () => {
  const steps = ["one", "<enter>", "two", "<enter>", "draft"];
  expect(after({}, ...steps, "<up>").state.editor.text).toBe("two");
  expect(after({}, ...steps, "<up>", "<up>", "<up>").state.editor.text).toBe("one");
  expect(after({}, ...steps, "<up>", "<up>", "<down>", "<down>").state.editor.text).toBe("draft");
});

test("words with a sign in front are for the shell, and those of the screen are its own commands", () => {
  expect(after({}, "!ls -l", "<enter>").effects).toEqual([{ do: "shell", command: "ls -l" }]);
  expect(after({}, "/exit", "<enter>").effects).toEqual([{ do: "leave" }]);
  expect(after({}, "/review it", "<enter>").effects).toEqual([{ do: "submit", text: "/review it" }]);
});

test("escape stops a turn that goes on, and nothing else", () => {
  expect(after(working, "<escape>").effects).toEqual([{ do: "interrupt" }]);
  expect(after({}, "<escape>").effects).toEqual([]);
});

test("ctrl+c clears the prompt, stops the turn, and leaves when it comes twice", () => {
  expect(after({}, "x", "<ctrl+c>").state.editor.text).toBe("");
  expect(after(working, "<ctrl+c>").effects).toEqual([{ do: "interrupt" }]);
  expect(after({}, "<ctrl+c>", "<ctrl+c>").effects).toEqual([{ do: "leave" }]);
  expect(after({}, "<ctrl+c>", "x", "<backspace>", "<ctrl+c>").effects).toEqual([]);
});

test("[DELEG-02] shift+tab goes through the modes; a lead of a team also comes to one where it only delegates", () => {
  const next = (mode: string, mayDelegate = false) =>
    after({ status: { ...restingStatus, mode, mayDelegate } }, "<shift+tab>").effects[0];
  expect(["default", "acceptEdits", "plan"].map((mode) => next(mode))).toEqual(
    ["acceptEdits", "plan", "default"].map((mode) => ({ do: "mode", mode })),
  );
  expect(next("default", true)).toEqual({ do: "mode", mode: "delegate" });
  expect(next("delegate", true)).toEqual({ do: "mode", mode: "acceptEdits" });
  const typed = after({ status: { ...restingStatus, mode: "plan", mayDelegate: true } }, "/delegate", "<enter>");
  expect(typed.effects).toEqual([{ do: "delegate", isOn: true }]);
});

test("a question takes the keyboard, and gives it back with its answer", () => {
  const first = after({}, "draft", ask(5_000), "<down>", "<up>", "<enter>");
  expect(first.effects).toEqual([{ do: "decide", id: "q1", decision: { chosen: [0], words: "" } }]);
  expect([first.state.dialogs, first.state.editor.text]).toEqual([[], "draft"]);
  const words = after({}, ask(5_000), "2", "because", "<enter>");
  expect(words.effects).toEqual([{ do: "decide", id: "q1", decision: { chosen: [1], words: "because" } }]);
  expect(after({}, ask(5_000), "2", "<escape>", "<escape>").effects).toEqual([
    { do: "decide", id: "q1", decision: undefined },
  ]);
});

test("what a person is typing when a question comes up is no answer to it", () => {
  const typing = after({}, "I t", ask(10), "1", "<enter>");
  expect(typing.effects).toEqual([]);
  expect(typing.state.editor.text).toBe("I t1");
  expect(after({}, "I t", ask(10), { kind: "tick", at: 5_000 }, "1").effects).toHaveLength(1);
});

test("of several questions the first is on the screen, and one that is settled goes", () => {
  const other = { ...ask(5_000), id: "q2" } as Message;
  expect(after({}, ask(5_000), other, "1").state.dialogs.map(({ id }) => id)).toEqual(["q2"]);
  expect(after({}, ask(5_000), other, { kind: "settled", id: "q1" }).state.dialogs.map(({ id }) => id)).toEqual(["q2"]);
});

test("several of the answers may be marked", () => {
  const question = { ...yesNo, choices: [{ label: "a" }, { label: "b" }, { label: "c" }], isMany: true };
  const { effects } = after({}, { kind: "ask", id: "q1", question, at: 5_000 }, "3", "<up>", "<up>", " ", "<enter>");
  expect(effects).toEqual([{ do: "decide", id: "q1", decision: { chosen: [0, 2], words: "" } }]);
});

test("a file is named by a part of its path, a command by its beginning", () => {
  const files = { kind: "files", files: ["src/apple.ts", "src/", "docs/pear.md"] } as const;
  const wanting = after({}, "see @");
  expect(wanting.effects).toEqual([{ do: "listFiles" }]);
  expect(after({}, files, "see @app", "<tab>").state.editor.text).toBe("see @src/apple.ts ");
  expect(after({}, files, "see @pr", "<enter>").state.editor.text).toBe("see @docs/pear.md ");
  const commands = [
    { name: "review", summary: "" },
    { name: "exit", summary: "" },
  ];
  expect(after({ commands }, "/rev", "<enter>").effects).toEqual([{ do: "submit", text: "/review" }]);
});

test("an agent is named by its type, above the files that match; a model by the beginning of its alias", () => {
  const named = (name: string) => ({ name, summary: "" });
  const given = { agents: [named("reviewer"), named("Explore")], models: [named("opus"), named("sonnet")] };
  const files = { kind: "files", files: ["src/rev.ts"] } as const;
  const options = (text: string) => after(given, files, text).state.completion?.options.map(({ name }) => name);
  expect(options("ask @rev")).toEqual(["agent-reviewer", "src/rev.ts"]);
  expect(options("ask @agent")).toEqual(["agent-reviewer", "agent-Explore"]);
  expect(options("@")).toEqual(["src/rev.ts"]);
  expect(after(given, files, "ask @ex", "<tab>").state.editor.text).toBe("ask @agent-Explore ");
  expect(after(given, "/model op", "<enter>").effects).toEqual([{ do: "model", name: "opus" }]);
});

test("commands take the words behind them only where they have a use for them", () => {
  expect(after({}, "/compact keep the names", "<enter>").effects).toEqual([{ do: "compact", words: "keep the names" }]);
  expect(after({}, "/compact", "<enter>").effects).toEqual([{ do: "compact", words: "" }]);
  expect(after({}, "/clear the table", "<enter>").effects).toEqual([{ do: "submit", text: "/clear the table" }]);
  const { state, effects } = after({ models: [{ name: "opus", summary: "the id" }] }, "/model", "<enter>");
  expect([effects, state.talk.items.at(-1)]).toEqual([
    [],
    { kind: "notice", text: expect.stringContaining("opus  the id") },
  ]);
});

test("[UI-08] shift with the arrows goes round the teammates and back, and what is typed there is for them", () => {
  const mates: Message = {
    kind: "mates",
    mates: [
      { name: "ann", color: "blue" },
      { name: "bob", color: "green" },
    ],
  };
  const viewed = (...keys: string[]) => after({}, mates, ...keys).state.view?.mate;
  expect([viewed("<shift+down>"), viewed("<shift+down>", "<shift+down>"), viewed("<shift+up>")]).toEqual([
    "ann",
    "bob",
    "bob",
  ]);
  expect(viewed("<shift+down>", "<shift+up>")).toBeUndefined();
  const { effects } = after({}, mates, "<shift+down>", "hello", "<enter>");
  expect(effects).toEqual([{ do: "tell", to: "ann", text: "hello" }]);
  expect(viewed("<shift+down>", "<escape>")).toBeUndefined();
});
