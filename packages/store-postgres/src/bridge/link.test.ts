import { codecFor, layoutOf } from "@troupe/protocol";
import { expect, test } from "vitest";
import { inboxOf } from "./link.ts";

test("a link knows of an inbox what it has seen of its other writers before: it is the same one", () => {
  const link = { inboxes: new Map(), layout: layoutOf("/root").team("crew"), codec: codecFor("2026-02") };
  expect(inboxOf(link, "bob")).toBe(inboxOf(link, "bob"));
  expect(inboxOf(link, "bob")).not.toBe(inboxOf(link, "ann"));
});
