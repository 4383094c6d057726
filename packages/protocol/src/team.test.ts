import { expect, test } from "vitest";
import type { Codec } from "./revisions/codec.ts";
import { codecFor } from "./revisions/detect.ts";
import { revisions } from "./revisions/revision.ts";
import { backendOf, colorOf, inspectTeam, leadOf, type Member, type TeamConfig } from "./team.ts";

const draft = {
  name: "analysis-team",
  description: "Read the code base",
  createdAt: 1770535107409,
  leadSessionId: "c93b690c-0d1e-4a56-9f0a-d9451b749ac2",
  leadModel: "claude-opus-4-6",
  cwd: "/home/dev/project",
};
const mate = {
  name: "reader",
  team: "analysis-team",
  agentType: "general-purpose",
  model: "claude-opus-4-6",
  prompt: "Read the parser.\nReport to team-lead.",
  color: "blue",
  joinedAt: 1770535144590,
  cwd: "/home/dev/project",
};
/** A member's entry as it would stand in the file after a patch. */
const member = (codec: Codec, entry: Member, patch: Parameters<Codec["amendMember"]>[2]): Member => {
  const team = { ...codec.newTeam(draft), members: [entry] };
  const after = codec.amendMember(codec.readTeam(codec.write(team)), entry.name, patch) as TeamConfig;
  return after.members[0] as Member;
};
const [old, current] = [codecFor("2026-02"), codecFor("2026-11")];

test("[TEAM-06] [ATP-CFG-005] [ATP-CFG-006] a new team of 2026-02 has six fields in order and the lead alone", () => {
  const team = old.newTeam(draft);
  expect(Object.keys(team)).toEqual(["name", "description", "createdAt", "leadAgentId", "leadSessionId", "members"]);
  expect(team).toMatchObject({ description: "Read the code base", leadAgentId: "team-lead@analysis-team" });
  expect(team.members).toHaveLength(1);
  const { description: _, ...silent } = draft;
  expect(old.newTeam(silent)).toMatchObject({ description: "" });
});

test("[TEAM-07] [ATP-MEM-002] [ATP-MEM-003] the lead of 2026-02 has exactly its eight fields, and no pane", () => {
  expect(old.newTeam(draft).members).toEqual([
    {
      agentId: "team-lead@analysis-team",
      name: "team-lead",
      agentType: "team-lead",
      model: "claude-opus-4-6",
      joinedAt: 1770535107409,
      tmuxPaneId: "",
      cwd: "/home/dev/project",
      subscriptions: [],
    },
  ]);
});

test("[ATP-MEM-004] [ATP-MEM-022] the lead has no teammate's field, and joined when the team was made", () => {
  const [lead] = old.newTeam(draft).members;
  for (const key of ["prompt", "color", "planModeRequired", "backendType", "isActive"])
    expect(lead).not.toHaveProperty(key);
  expect(lead?.joinedAt).toBe(draft.createdAt);
  const seen = JSON.stringify({
    ...old.newTeam(draft),
    members: [{ ...lead, color: "#4A90D9", backendType: "in-process", prompt: "p" }],
  });
  expect(old.readTeam(seen).problems).toEqual([]);
});

test("[ATP-CFG-101] [ATP-MEM-101] team and lead of 2026-11 are written in the order of client 2.1.326", () => {
  const leadProcess = { pid: 26688, pidSpace: "vm#pid:[4026531836]", claimedAt: 1794989114897, procStart: "421816" };
  const team = current.newTeam({ ...draft, name: "session-b7f5edcc", leadProcess });
  expect(Object.keys(team)).toEqual(["name", "createdAt", "leadAgentId", "leadSessionId", "leadProcess", "members"]);
  expect(Object.keys(team.members[0] ?? {})).toEqual([
    "agentId",
    "name",
    "agentType",
    "joinedAt",
    "tmuxPaneId",
    "cwd",
    "subscriptions",
    "backendType",
  ]);
  expect(team.members[0]).toMatchObject({ tmuxPaneId: "leader", backendType: "in-process" });
});

test("[TEAM-08] [ATP-MEM-005] a teammate of 2026-02 has twelve fields in order, a tmux one isActive as the thirteenth", () => {
  const pending = old.newTeammate(mate);
  const inProcess = member(old, pending, { tmuxPaneId: "in-process", backendType: "in-process" });
  const keys =
    "agentId name agentType model prompt color planModeRequired joinedAt tmuxPaneId cwd subscriptions backendType".split(
      " ",
    );
  expect(Object.keys(inProcess)).toEqual(keys);
  const tmux = member(old, pending, { isActive: true, tmuxPaneId: "%14", backendType: "tmux" });
  expect(Object.keys(tmux)).toEqual([...keys, "isActive"]);
});

test("[ATP-MEM-102] [ATP-MEM-021] a teammate is registered without pane and backend, then completed in place", () => {
  const pending = current.newTeammate({ ...mate, team: "session-b7f5edcc" });
  const keys = "agentId name color joinedAt tmuxPaneId subscriptions agentType model prompt planModeRequired cwd".split(
    " ",
  );
  expect(Object.keys(pending)).toEqual(keys);
  expect(pending.tmuxPaneId).toBe("");
  const complete = member(current, pending, { tmuxPaneId: "%1", backendType: "tmux" });
  expect(Object.keys(member(current, complete, { isActive: true }))).toEqual([...keys, "backendType", "isActive"]);
  for (const codec of [old, current]) {
    const team = { ...codec.newTeam(draft), members: [...codec.newTeam(draft).members, codec.newTeammate(mate)] };
    expect(codec.readTeam(codec.write(team), "analysis-team").problems).toEqual([]);
  }
});

test("[TEAM-11] [ATP-MEM-007] [ATP-MEM-008] subscriptions are written empty and the whole prompt is kept", () => {
  for (const codec of [old, current]) {
    expect(codec.newTeammate(mate)).toMatchObject({ subscriptions: [], prompt: mate.prompt });
    expect(codec.newTeam(draft).members[0]?.subscriptions).toEqual([]);
  }
});

test("[TEAM-12] [ATP-MEM-011] a teammate need not plan first unless it is said", () => {
  expect(old.newTeammate(mate).planModeRequired).toBe(false);
  expect(old.newTeammate({ ...mate, planModeRequired: true }).planModeRequired).toBe(true);
});

test("[CLIARGS-05] [ATP-MEM-018] a permission mode is not stored with a member, even if the caller brings one", () => {
  for (const codec of [old, current]) {
    const brought = { ...mate, permissionMode: "bypassPermissions", mode: "plan" };
    expect(codec.newTeammate(brought)).toEqual(codec.newTeammate(mate));
  }
});

test("[TEAM-15] [ATP-MEM-009] teammates get the eight colours in order of their spawn, and the ninth is blue again", () => {
  const nine = Array.from({ length: 9 }, (_, n) => colorOf(n));
  expect(nine).toEqual(["blue", "green", "yellow", "purple", "orange", "pink", "cyan", "red", "blue"]);
});

test("[ATP-CFG-001] [ATP-CFG-003] a name that is not the directory's, or a lead that is no member, is reported and the rest is read", () => {
  const team = { ...old.newTeam(draft), leadAgentId: "boss@analysis-team" };
  const read = old.readTeam(old.write(team), "other-team");
  expect(read.value?.members).toHaveLength(1);
  expect(read.problems.map(({ path, code }) => [path, code])).toEqual([
    ["/name", "id_mismatched"],
    ["/leadAgentId", "id_mismatched"],
  ]);
});

test("[ATP-CFG-010] names that are one after folding are reported as standing twice", () => {
  const members = ["alice", "Alice"].map((name) => ({ agentId: `${name}@t`, name }));
  expect(inspectTeam({ name: "t", members })).toMatchObject([{ path: "/members/1/name", code: "name_duplicated" }]);
});

test("[ATP-MEM-001] an agentId that is not <name>@<team> is reported", () => {
  const team = { name: "t", members: [{ agentId: "alice@other", name: "alice" }] };
  expect(inspectTeam(team)).toMatchObject([{ path: "/members/0/agentId", fix: "make /members/0/agentId alice@t" }]);
});

test("[ATP-MEM-013] [ATP-MEM-020] pane is read as tmux, and unknown backends and agent types are kept as they stand", () => {
  const members = [
    { agentId: "a@t", name: "a", backendType: "pane", agentType: "Reviewer9000" },
    { agentId: "b@t", name: "b", backendType: "iterm2" },
  ];
  const text = JSON.stringify({ name: "t", createdAt: 1, leadAgentId: "a@t", members }, null, 2);
  for (const codec of [old, current]) {
    const { value, problems } = codec.readTeam(text, "t");
    expect(problems).toEqual([]);
    expect(value?.members.map(backendOf)).toEqual(["tmux", "iterm2"]);
    expect(codec.write(value)).toBe(text);
  }
});

test("[ATP-MEM-105] [ATP-CFG-103] a member of two fields is whole enough, with or without leadProcess and description", () => {
  const bare = {
    name: "session-1",
    createdAt: 1,
    leadAgentId: "x@session-1",
    members: [{ agentId: "x@session-1", name: "x" }],
  };
  const leadProcess = { pid: 1, pidSpace: "p", claimedAt: 1, procStart: "1" };
  for (const team of [
    bare,
    { ...bare, leadProcess },
    { ...bare, description: "d" },
    { ...bare, description: "d", leadProcess },
  ]) {
    const text = current.write(team);
    const read = current.readTeam(text, "session-1");
    expect(read.problems).toEqual([]);
    expect(read.value?.members[0]?.name).toBe("x");
    expect(current.write(read.value)).toBe(text);
  }
});

test("[ATP-CFG-102] leadProcess is checked where it stands, and its unknown fields are kept", () => {
  const team = {
    ...current.newTeam(draft),
    leadProcess: { pid: "1", pidSpace: "p", claimedAt: 1, procStart: "1", more: 1 },
  };
  const read = current.readTeam(current.write(team));
  expect(read.problems).toMatchObject([{ path: "/leadProcess/pid", code: "field_invalid" }]);
  expect(read.value).not.toHaveProperty("leadProcess");
  expect(read.raw).toEqual(team);
});

test("[TEAM-36] [ATP-CFG-004] the form of seed 003 is read without complaint: hex colours, no session, few member fields", () => {
  const seed: TeamConfig = {
    name: "my-project",
    description: "Working on feature X",
    leadAgentId: "team-lead@my-project",
    createdAt: 1706000000000,
    members: [
      {
        agentId: "team-lead@my-project",
        name: "team-lead",
        agentType: "team-lead",
        color: "#4A90D9",
        joinedAt: 1706000000000,
        backendType: "in-process",
      },
      {
        agentId: "worker-1@my-project",
        name: "worker-1",
        agentType: "general-purpose",
        model: "haiku",
        prompt: "Analyze",
        color: "#D94A4A",
        joinedAt: 1706000001000,
        backendType: "pane",
        cwd: "/p",
      },
    ],
  };
  const read = old.readTeam(old.write(seed), "my-project");
  expect(read.problems).toEqual([]);
  expect(read.value && leadOf(read.value)?.name).toBe("team-lead");
});

test("[ATP-CFG-002] [ATP-MEM-006] [ATP-CFG-013] a bad field is left out and named, a bad member hides no other", () => {
  const team = old.newTeam(draft);
  const members = [...team.members, { ...old.newTeammate(mate), joinedAt: "yesterday" }, { name: "no-id" }, 7];
  const read = old.readTeam(old.write({ ...team, createdAt: "2026", members }));
  expect(read.value?.members.map(({ name }) => name)).toEqual(["team-lead", "reader"]);
  expect(read.value?.members[1]).not.toHaveProperty("joinedAt");
  expect(read.problems.map(({ path }) => path)).toEqual([
    "/createdAt",
    "/members/1/joinedAt",
    "/members/2/agentId",
    "/members/3",
  ]);
  expect((read.raw as TeamConfig).members).toHaveLength(4);
});

test("[ATP-CFG-008] unknown fields of a team and its members survive an amendment where they stand", () => {
  for (const revision of revisions) {
    const codec = codecFor(revision);
    const text =
      '{"x":1,"name":"t","createdAt":1,"leadAgentId":"a@t","y":{"z":[]},"members":[{"agentId":"a@t","future":"f","name":"a"}]}';
    const read = codec.readTeam(text);
    const team = codec.amendMember(read, "a", { isActive: false }) as TeamConfig;
    expect(Object.keys(team)).toEqual(["x", "name", "createdAt", "leadAgentId", "y", "members"]);
    const [member] = team.members;
    expect(JSON.stringify(member)).toBe('{"agentId":"a@t","future":"f","name":"a","isActive":false}');
  }
});

test("an invalid document is refused before it is written, and the error names the field", () => {
  expect(() => old.newTeam({ ...draft, createdAt: 1.5 })).toThrow("/createdAt is 1.5");
  expect(() => old.newTeam({ ...draft, name: "../x" })).toThrow(expect.objectContaining({ code: "name_invalid" }));
  expect(() => current.newTeammate({ ...mate, name: "a/b" })).toThrow(
    expect.objectContaining({ code: "name_invalid" }),
  );
});
