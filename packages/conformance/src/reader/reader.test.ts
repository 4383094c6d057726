import { expect, test } from "vitest";
import { readDocument } from "./document.ts";
import { isDeletedName, revisionOf } from "./root.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ["whole", '{"a": 1}', { a: 1 }, []],
  ["marked", '\uFEFF{"a": 1}', { a: 1 }, ["bom"]],
  ["empty", " \n", undefined, ["empty"]],
  ["cut off", '{"a": [1, "}"', undefined, ["torn"]],
  ["with surplus", '{"a": "}"}}', { a: "}" }, ["surplus"]],
  ["surplus behind an array", "[1, 2]]\n", [1, 2], ["surplus"]],
  ["no JSON", "no JSON at all", undefined, ["syntax"]],
  ["with a wrong value in it", '{"a": nope}', undefined, ["syntax"]],
])("a document that is %s is read as far as it goes", (_, text, value, faults) => {
  expect(readDocument(bytes(text))).toMatchObject({ faults, ...(value !== undefined && { value }) });
});

test("bytes that are no UTF-8 are told", () => {
  expect(readDocument(Uint8Array.from([0x22, 0xff, 0x22]))).toMatchObject({ faults: ["encoding"], value: "\uFFFD" });
});

test("the lead or the inboxes say which revision a team is", () => {
  const lead = (tmuxPaneId: string) => ({ agentId: "a@t", name: "a", tmuxPaneId });
  const config = (pane: string, more = {}) => ({ name: "t", leadAgentId: "a@t", members: [lead(pane)], ...more });
  const inbox = [readDocument(bytes('[{"type": "message"}]'))];
  expect(revisionOf(config(""), [])).toBe("2026-02");
  expect(revisionOf(config(""), inbox)).toBe("between");
  expect(revisionOf(config("leader"), inbox)).toBe("2026-11");
  expect(revisionOf(config("", { leadProcess: {} }), [])).toBe("2026-11");
  expect(revisionOf({ name: "t" }, [])).toBeUndefined();
});

test("a directory on its way out is told by its name", () => {
  expect(isDeletedName("t.deleted-0f1e2d3c-4b5a-4968-8776-655443322110")).toBe(true);
  expect(isDeletedName("t.deleted-soon")).toBe(false);
});
