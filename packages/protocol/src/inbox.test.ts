import { expect, test } from "vitest";
import { entryKeys, isUnread } from "./inbox.ts";

const entry = { from: "alice", text: "hi", timestamp: "2026-02-13T10:45:20.631Z" };

test("[ATP-INB-107] messages alike in everything have keys of their own, by their order", () => {
  const [first, second, other] = entryKeys([entry, { ...entry, read: true }, { ...entry, text: "ho" }]);
  expect(first).toMatch(/^[0-9a-f]{64}#0$/);
  expect(second).toBe(first?.replace("#0", "#1"));
  expect(other).not.toBe(first);
  expect(entryKeys([{ ...entry, msg_id: "m" }])).not.toEqual(entryKeys([{ ...entry, msg_id: "n" }]));
});

test("[ATP-INB-107] of two messages with one id each keeps its key when the other is gone", () => {
  const pair = [
    { ...entry, msg_id: "m" },
    { ...entry, text: "else", msg_id: "m" },
  ];
  const keys = entryKeys(pair);
  expect(new Set(keys).size).toBe(2);
  expect(pair.map((one) => entryKeys([one])[0])).toEqual(keys);
});

test("who, when and what tell messages apart, each by itself and however they run together", () => {
  const keys = entryKeys([
    entry,
    { ...entry, from: "bob" },
    { ...entry, timestamp: "2026-02-13T10:45:21Z" },
    { ...entry, text: "ho" },
    { from: "ab", timestamp: "c", text: "d" },
    { from: "a", timestamp: "bc", text: "d" },
    { from: "a", timestamp: "b", text: "cd" },
  ]);
  expect(keys.filter((key) => !key.endsWith("#0"))).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
});

test("a message without a mark is unread", () => {
  expect([{}, { read: false }, { read: true }].map((one) => isUnread(one))).toEqual([true, true, false]);
});
