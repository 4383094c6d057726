import { expect, test } from "vitest";
import { readBody } from "./body.ts";

test("[ATP-INB-019] text that is no JSON, or JSON without a type, is an ordinary message", () => {
  for (const text of [
    "hello",
    "",
    "{",
    '{"a":1}',
    '{"type":5}',
    "[1]",
    '"type"',
    "null",
    '{"type":"idle_notification"',
    "  { not json }",
  ]) {
    expect(readBody(text, "2026-02"), text).toEqual({ kind: "text" });
  }
});

test("[ATP-INB-020] a type of tomorrow is surfaced with all it holds", () => {
  expect(readBody('{"type":"mind_meld","depth":3}', "2026-11")).toEqual({
    kind: "unknown",
    type: "mind_meld",
    body: { type: "mind_meld", depth: 3 },
  });
});
