import { describe, expect, test } from "vitest";
import { speak } from "./phrase.ts";

const spoken = (phrases: Parameters<typeof speak>[0], params: Parameters<typeof speak>[2], method = "task.update") =>
  speak(phrases, method, params)?.argv.join(" ");

describe("a command says a method", () => {
  const add = [{ run: ["add", "{team}", ["--as", "{by}"]] }];

  test("a phrase is filled with the given values, and leaves out the others", () => {
    expect(spoken(add, { team: "t", by: "a" })).toBe("add t --as a");
    expect(spoken(add, { team: "t" })).toBe("add t");
  });

  test("only if it has a place for all that matters", () => {
    expect(spoken(add, { team: "t", status: "completed" })).toBeUndefined();
    expect(spoken([{ run: ["add"], stdin: "{team}" }], { team: "t" })).toBe("add");
    expect(spoken([{ run: ["add", "{team}", "{by}"] }], { team: "t" })).toBeUndefined();
  });

  test("a parameter that a check does not test needs no placeholder", () => {
    const params = { team: "t", subject: "s", description: "All rules of the grammar, with tests" };
    expect(spoken([{ run: ["add", "{team}", "{subject}"] }], params, "task.create")).toBe("add t s");
    expect(
      spoken([{ run: ["add", "{team}", "{subject}"] }], { ...params, description: "x" }, "task.create"),
    ).toBeUndefined();
  });

  test("a call is expressed by the first phrase that can", () => {
    const phrases = [{ when: { status: "completed" }, run: ["done", "{id}"] }, { run: ["set", "{id}", "{status}"] }];
    expect(spoken(phrases, { id: "1", status: "completed" })).toBe("done 1");
    expect(spoken(phrases, { id: "1", status: "pending" })).toBe("set 1 pending");
  });

  test("a list becomes one group per element, or its elements separated by commas", () => {
    expect(spoken([{ run: ["x", ["--id", "{ids}"]] }], { ids: ["1", "2"] }, "m")).toBe("x --id 1 --id 2");
    expect(spoken([{ run: ["x", "{ids}"] }], { ids: ["1", "2"] }, "m")).toBe("x 1,2");
    expect(spoken([{ run: ["x", ["--id", "{ids}"]] }], { ids: [] }, "m")).toBe("x");
  });

  test("a phrase also takes other known values that have a placeholder", () => {
    expect(speak([{ run: ["x", "{revision}"] }], "m", {}, { revision: "2026-11" })?.argv).toEqual(["x", "2026-11"]);
  });

  test("a phrase never runs through a shell, and filled text is not filled again", () => {
    expect(speak([{ run: ["x", "{text}"] }], "m", { text: "$(rm) {text} {ids}" })?.argv).toEqual([
      "x",
      "$(rm) {text} {ids}",
    ]);
  });
});
