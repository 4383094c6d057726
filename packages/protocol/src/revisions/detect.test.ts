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
])("when %s the form is found", (_, team, inboxes, form) => {
  expect(detectForm(team, inboxes)).toBe(form);
});

test("no document makes the detection throw", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.jsonValue()), (team, inboxes) =>
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
  for (const write of [
    () => codec.write({}),
    () => codec.consume([], new Set()),
    () => codec.removeMember(codec.readTeam("{}"), "a"),
  ]) {
    expect(write).toThrow(
      expect.objectContaining({ code: "revision_read_only", message: expect.stringContaining("make a new team") }),
    );
  }
});
