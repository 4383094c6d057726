import { expect, test } from "vitest";
import { outcomeOf } from "./conformance.ts";

test("a check that fails without a reason is strange, and so is a reason for one that fails no more", () => {
  const found = [
    { id: "ping", status: "SUCCESS" },
    { id: "tools-list", status: "FAILURE", errorMessage: "no tools" },
    { id: "logging", status: "WARNING" },
    { id: "sampling", status: "SKIPPED" },
  ] as const;
  expect(outcomeOf("2026-07-28", found, new Set(["logging", "ping"]))).toEqual({
    passed: 1,
    explained: 1,
    strange: [
      "2026-07-28 tools-list: FAILURE no tools",
      "2026-07-28 ping: fails no more; take it out of expected.json",
    ],
  });
});
