import { expect, test } from "vitest";
import { colorOf, inspectTeam, leadOf, type TeamConfig } from "./team.ts";

const member = (name: string, team = "t") => ({ agentId: `${name}@${team}`, name });
const team = (members: TeamConfig["members"], more: Partial<TeamConfig> = {}): TeamConfig => ({
  name: "t",
  members,
  ...more,
});

test("a team without a fault has no problems, whether it names its lead and its directory is known or not", () => {
  const members = [member("team-lead"), member("alice"), member("alicia")];
  for (const leadAgentId of [undefined, "team-lead@t", "alicia@t"])
    expect(inspectTeam(team(members, leadAgentId === undefined ? {} : { leadAgentId }), "t")).toEqual([]);
  expect(inspectTeam(team(members))).toEqual([]);
});

test("[ATP-CFG-001] a team that is not called like its directory is told which name would be right", () => {
  expect(inspectTeam(team([]), "other")).toEqual([
    {
      path: "/name",
      code: "id_mismatched",
      message: '/name is "t", but the directory is "other"',
      fix: "make /name other",
    },
  ]);
});

test("[ATP-CFG-010] every later member of a name is reported with the place of the first", () => {
  const members = [member("bob"), member("Ren\u00e9"), member("rene\u0301"), member("REN\u00c9")];
  expect(inspectTeam(team(members)).map(({ path, code, message }) => [path, code, message])).toEqual([
    ["/members/2/name", "name_duplicated", '/members/2/name is "rene\u0301", the name of member 1 as well'],
    ["/members/3/name", "name_duplicated", '/members/3/name is "REN\u00c9", the name of member 1 as well'],
  ]);
});

test("[ATP-MEM-001] an agentId of another team, or of another member, is told what it should be", () => {
  const members = [member("alice", "other"), { agentId: "carol@t", name: "bob" }];
  expect(inspectTeam(team(members))).toEqual([
    {
      path: "/members/0/agentId",
      code: "id_mismatched",
      message: '/members/0/agentId is "alice@other"',
      fix: "make /members/0/agentId alice@t",
    },
    {
      path: "/members/1/agentId",
      code: "id_mismatched",
      message: '/members/1/agentId is "carol@t"',
      fix: "make /members/1/agentId bob@t",
    },
  ]);
});

test("[ATP-CFG-003] a lead that is no member is reported, though the team has others", () => {
  const found = inspectTeam(team([member("alice"), member("bob")], { leadAgentId: "boss@t" }));
  expect(found).toEqual([
    {
      path: "/leadAgentId",
      code: "id_mismatched",
      message: '/leadAgentId names no member: "boss@t"',
      fix: "make /leadAgentId the agentId of the lead",
    },
  ]);
});

test("a name that satisfies the schema and can name no inbox is reported where it stands", () => {
  const name = "a\u200bb";
  expect(inspectTeam(team([member("alice"), member(name)]))).toEqual([
    {
      path: "/members/1/name",
      code: "field_invalid",
      message: `/members/1/name is ${JSON.stringify(name)}, which can name no inbox`,
      fix: "make /members/1/name a shorter name of visible characters",
    },
  ]);
});

test("the lead is who leadAgentId names; only where that is nobody, who has the lead's type", () => {
  const typed = { ...member("typed"), agentType: "team-lead" };
  const members = [member("alice"), typed, member("bob")];
  expect(leadOf(team(members, { leadAgentId: "bob@t" }))?.name).toBe("bob");
  expect(leadOf(team(members, { leadAgentId: "gone@t" }))?.name).toBe("typed");
  expect(leadOf(team(members))?.name).toBe("typed");
  expect(leadOf(team([member("alice"), member("bob")]))).toBeUndefined();
});

test("colours go round both ways", () => {
  expect([-8, -1, 15, 16].map(colorOf)).toEqual(["blue", "red", "red", "blue"]);
});
