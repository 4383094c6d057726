import { expect, test } from "vitest";
import { paint } from "../paint.ts";
import { itemLines } from "./item-lines.ts";

const plan = { type: "plan_approval_response", requestId: "r", approved: false, feedback: "test it", timestamp: "" };
const item = { kind: "mail", from: "lead", text: `${JSON.stringify(plan)}\n[Plan Rejected] test it` } as const;
const shown = (isUnfolded: boolean, isSpoken = false) => {
  const look = { isUnfolded, isSpoken, shorten: (text: string) => text, colorOf: () => "bold" as const };
  return paint(itemLines(item, undefined, look), { columns: 80, hasColor: false });
};

test("of a message of the protocol a person reads what it comes to, and what the model was told with it where all is unfolded", () => {
  expect(shown(false)).toBe("✉ lead rejects the plan: test it");
  expect(shown(false, true)).toBe("lead rejects the plan: test it");
  expect(shown(true)).toBe("✉ lead rejects the plan: test it\n    [Plan Rejected] test it");
});
