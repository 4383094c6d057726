import { expect, test } from "vitest";
import { toldRecord } from "./recorded.ts";

test("a lead that has ended says so of itself, and of a teammate what it has seen", () => {
  const said = (name: string, kind: string) => {
    const event = { kind, name, detail: "its session has ended\nand more" };
    const { line = [] } = toldRecord({ id: "1", at: "2026-02-13T10:00:00.000Z", by: "team-lead", event });
    return line.map((span) => (typeof span === "string" ? span : span.text)).join("");
  };
  expect(said("team-lead", "stopped")).toBe("team-lead has ended: its session has ended");
  expect(said("ann", "stopped")).toBe("team-lead has seen ann end: its session has ended");
  expect(said("ann", "died")).toBe("team-lead has seen ann die: its session has ended");
});

test("who is asked to end is named, and why a turn ended is said in words", () => {
  const said = (event: object) =>
    toldRecord({ id: "1", at: "2026-02-13T10:00:00.000Z", by: "team-lead", event }).line?.join("");
  const asked = { kind: "shutdown", id: "shutdown-1770000000000@ann", phase: "asked" };
  expect(said(asked)).toBe("team-lead asks ann to end");
  expect(said({ ...asked, phase: "allowed" })).toBe("team-lead hears that ann agrees to end");
  expect(said({ ...asked, id: "of another" })).toBe("team-lead asks a teammate to end");
  const ended = { kind: "turn", phase: "ended", why: "model_error" };
  expect(said(ended)).toBe("team-lead ends its turn: the model could not be asked");
  expect(said({ ...ended, why: "toString" })).toBe("team-lead ends its turn: toString");
});
