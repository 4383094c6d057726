import { expect, test } from "vitest";
import { agentName, memberName } from "./names.ts";

test.each([
  ...[
    "user",
    "User",
    "SYSTEM",
    "sys-tem",
    "human",
    "person",
    "assistant",
    "team-lead",
    "Team_Lead",
    "teamlead",
    "team.lead",
  ],
  ...[
    "team\u2011lead",
    "\uff55\uff53\uff45\uff52",
    "us\u0301er",
    "u\u20ddser",
    "m\u0430in",
    "\u0455y\u0455tem",
    "us\u0435r",
    "team-l\u0435\u0430d",
    "\u03c5ser",
    "Main",
  ],
])("nobody joins a team as %j, since a model would take its words for those of somebody else", (name) => {
  expect(() => memberName(name)).toThrow(expect.objectContaining({ code: "name_invalid" }));
  expect(() => memberName(name)).toThrow(/choose another name/);
  expect(agentName(name)).toBe(name);
});

test.each(["alice", "users", "user-2", "lead", "systems", "team-leader", "reviewer", "maintainer", "петя", "мария"])(
  "%s can join a team",
  (name) => {
    expect(memberName(name)).toBe(name);
  },
);
