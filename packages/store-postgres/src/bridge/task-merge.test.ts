import { describe, expect, test } from "vitest";
import { isNothing, merge, shownTo } from "./task-merge.ts";

const free = { id: "1", subject: "s", status: "pending", blocks: [], blockedBy: [] };
const fieldsOf = (...given: Parameters<typeof merge>) => Object.fromEntries(merge(...given).fields);

describe("two sides of a task", () => {
  test("a change of the file alone goes to the database, a change there alone comes", () => {
    expect(fieldsOf({ ...free, subject: "t" }, free, { base: free })).toEqual({ subject: "t" });
    expect(isNothing(merge(free, { ...free, subject: "t" }, { base: free }))).toBe(true);
  });

  test("a field that both changed stays as the database has it, and is named; others are carried", () => {
    const merged = merge({ ...free, subject: "t", description: "d" }, { ...free, subject: "u" }, { base: free });
    expect(merged.lost).toEqual(["subject"]);
    expect([...merged.fields]).toEqual([["description", "d"]]);
  });

  test("a claim of a task that is offered by its mark is no conflict; one of a task that was taken is", () => {
    const claimed = { ...free, owner: "alice", status: "in_progress" };
    expect(fieldsOf(claimed, { ...free, owner: "host.a" }, { base: free })).toEqual({
      owner: "alice",
      status: "in_progress",
    });
    expect(merge(claimed, { ...claimed, owner: "bob" }, { base: free }).lost).toEqual(["owner"]);
  });

  test("what was sent or came before a crash is neither a change nor a conflict", () => {
    const done = { ...free, status: "completed" };
    const begun = { ...free, status: "in_progress" };
    expect(fieldsOf(done, begun, { base: free, sent: begun })).toEqual({ status: "completed" });
    expect(isNothing(merge(begun, free, { base: free, coming: begun }))).toBe(true);
    expect(merge(done, begun, { base: free, coming: begun })).toMatchObject({ lost: [] });
    expect(fieldsOf(begun, free, { base: free, sent: begun })).toEqual({ status: "in_progress" });
  });

  test("edges are carried one by one", () => {
    const merged = merge(
      { ...free, blockedBy: ["2", "3"] },
      { ...free, blockedBy: ["3", "4"], blocks: ["5"] },
      {
        base: { ...free, blockedBy: ["4"], blocks: [] },
      },
    );
    expect(merged).toMatchObject({ addBlockedBy: ["2"], removeBlockedBy: ["4"], addBlocks: [], removeBlocks: [] });
  });

  test("a task without an owner is free in the files of one host, and shared or of another elsewhere", () => {
    expect(shownTo("a", { ...free, owner: "host.a" })).toEqual(free);
    expect(shownTo("b", { ...free, owner: "host.a" })).toMatchObject({ owner: "host.a" });
    expect(Object.keys(shownTo("a", free))).toEqual(["id", "subject", "status", "owner", "blocks", "blockedBy"]);
    expect(shownTo("a", { ...free, owner: "bob" })).toMatchObject({ owner: "bob" });
    expect(shownTo("a", { ...free, status: "completed" })).not.toHaveProperty("owner");
  });
});
