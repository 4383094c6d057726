import fc from "fast-check";
import { expect, test } from "vitest";
import { codecFor, detectForm } from "./detect.ts";

const lead = { agentId: "team-lead@t", name: "team-lead", agentType: "team-lead", tmuxPaneId: "" };
const config = (patch: object, leadPatch: object = {}) => ({
  name: "t",
  leadAgentId: "team-lead@t",
  members: [{ ...lead, ...leadPatch }],
  ...patch,
});

test.each([
  ["the lead's pane is leader", config({}, { tmuxPaneId: "leader" }), [], "2026-11"],
  ["there is a leadProcess", config({ leadProcess: {} }), [[{ type: "message" }]], "2026-11"],
  ["entries have a type", config({}), [[], [{ from: "a", type: "message" }]], "between"],
  ["nothing is special", config({ description: "d" }), [[{ from: "a", read: true }]], "2026-02"],
  [
    "only a teammate's pane is leader",
    { ...config({}), members: [lead, { name: "x", tmuxPaneId: "leader" }] },
    [],
    "2026-02",
  ],
  ["the config is torn or absent", undefined, [[{ type: "message" }]], undefined],
  ["the config has no members", { leadProcess: {} }, [], undefined],
  [
    "the members are no list",
    { members: { 0: { ...lead, tmuxPaneId: "leader" } }, leadAgentId: "team-lead@t" },
    [],
    undefined,
  ],
  ["the config is a list", [{ members: [] }], [], undefined],
  ["the config is null", null, [], undefined],
  [
    "members that are none stand before the lead",
    { leadAgentId: "team-lead@t", members: [null, 5, "x", [], { ...lead, tmuxPaneId: "leader" }] },
    [],
    "2026-11",
  ],
  ["the lead has a type of its own", config({}, { agentType: "boss", tmuxPaneId: "leader" }), [], "2026-11"],
  ["the lead is found by its type alone", config({ leadAgentId: "x@t" }, { tmuxPaneId: "leader" }), [], "2026-11"],
  [
    "another member claims the lead's type",
    config({ members: [{ agentId: "x@t", agentType: "team-lead", tmuxPaneId: "leader" }, lead] }),
    [],
    "2026-02",
  ],
  [
    "an inbox holds strange elements and no typed entry",
    config({}),
    [null, "type", { type: "x" }, [null, 5, ["type"], { from: "type" }]],
    "2026-02",
  ],
  ["only an entry behind others has a type", config({}), [[{ from: "a" }, { type: null }]], "between"],
])("the form of a team is detected when %s", (_, team, inboxes, form) => {
  expect(
    detectForm(
      JSON.stringify(team ?? "torn").slice(0, team ? undefined : 3),
      inboxes.map((one) => JSON.stringify(one)),
    ),
  ).toBe(form);
});

test.each([
  ["written as it is", '"type"', "between"],
  ["written with an escape", '"t\\u0079pe"', "between"],
  ["the value of another key", '"text": "type", "summary"', "2026-02"],
  ["a key of what the message says", '"text": "{\\"type\\": 1}", "summary"', "2026-02"],
])("the type of an entry is found in texts and in bytes when it is %s", (_, key, form) => {
  const inbox = `[{ "from": "a", ${key}: "message" }]`;
  const team = JSON.stringify(config({}));
  expect(detectForm(team, [inbox])).toBe(form);
  expect(detectForm(team, [new TextEncoder().encode(inbox)])).toBe(form);
});

test("no document makes the detection throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), fc.array(fc.oneof(fc.json(), fc.string())), (team, inboxes) =>
      ["2026-02", "between", "2026-11", undefined].includes(detectForm(team, inboxes)),
    ),
  );
});

test("a form in between is read and never written, and the error says what to do", () => {
  const codec = codecFor("between");
  const text = JSON.stringify([
    { from: "a", text: "t", timestamp: "2026-02-13T10:45:20Z", type: "message", read: false },
  ]);
  expect(codec.readInbox(text)).toMatchObject({ problems: [], entries: [{ type: "message" }] });
  expect(codec.readTeam(JSON.stringify({ ...config({}), createdAt: 1 })).problems).toEqual([]);
  const writers = Object.entries(codec).filter(
    ([name, value]) => value instanceof Function && !name.startsWith("read"),
  );
  expect(writers.length).toBeGreaterThanOrEqual(11);
  for (const [name, write] of writers) {
    expect(write, name).toThrow(
      expect.objectContaining({ code: "revision_read_only", message: expect.stringContaining("create a new team") }),
    );
  }
});

test("every form has its codec", () => {
  for (const form of ["2026-02", "between", "2026-11"] as const) expect(codecFor(form).form).toBe(form);
});

test("a form in between is read as 2026-02: the read mark of an entry and the reason of an idle notice are missed", () => {
  const codec = codecFor("between");
  const timestamp = "2026-02-13T10:45:20Z";
  expect(codec.readInbox(JSON.stringify([{ from: "a", text: "t", timestamp }])).problems).toMatchObject([
    { path: "/0/read", code: "field_missing" },
  ]);
  expect(codec.readBody(JSON.stringify({ type: "idle_notification", from: "a", timestamp }))).toMatchObject({
    kind: "message",
    problems: [{ path: "/idleReason", code: "field_missing" }],
  });
});
