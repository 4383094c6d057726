import { expect, test } from "vitest";
import { entryKeys, isUnread } from "./inbox.ts";

const entry = { from: "alice", text: "hi", timestamp: "2026-02-13T10:45:20.631Z" };

test("[ATP-INB-107] messages alike in everything have keys of their own, by their order", () => {
  const [first, second, other] = entryKeys([entry, { ...entry, read: true }, { ...entry, text: "ho" }]);
  expect(first).toMatch(/^[0-9a-f]{64}#0$/);
  expect(second).toBe(first?.replace("#0", "#1"));
  expect(other).not.toBe(first);
  expect(
    entryKeys([
      { ...entry, msg_id: "m" },
      { ...entry, text: "else", msg_id: "m" },
    ]),
  ).toEqual(["m#0", "m#1"]);
});

test("a message without a mark is unread", () => {
  expect([{}, { read: false }, { read: true }].map((one) => isUnread(one))).toEqual([true, true, false]);
});
