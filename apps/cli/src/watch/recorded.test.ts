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
