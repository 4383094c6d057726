import { expect, test } from "vitest";
import type { Task } from "../task.ts";
import type { Member, TeamConfig } from "../team.ts";
import { codecFor } from "./detect.ts";
import { revisions } from "./revision.ts";

const each = revisions.map((revision) => [revision, codecFor(revision)] as const);
const lead = { agentId: "team-lead@t", name: "team-lead", agentType: "team-lead" };
const team = (members: unknown[]) => JSON.stringify({ name: "t", createdAt: 1, leadAgentId: "team-lead@t", members });
const joining: Member = { agentId: "carol@t", name: "carol" };
const namesIn = (document: object | undefined) =>
  (document as TeamConfig | undefined)?.members.map((member) => member?.name ?? member);

test.each(each)("%s: joining leaves what cannot be read of others where it stands", (_, codec) => {
  const strangers = [lead, { agentId: "x@t", name: "Research Lead", color: 5 }, 7, { name: "no-id", keep: [1] }];
  const read = codec.readTeam(team(strangers), "t");
  expect(read.value?.members.map(({ name }) => name)).toEqual(["team-lead"]);
  expect((codec.addMember(read, joining) as TeamConfig).members).toEqual([...strangers, joining]);
});

test.each(each)(
  "[ATP-CFG-010] %s: a name that is taken after folding is refused, also when its entry cannot be read",
  (_, codec) => {
    for (const taken of ["carol", "CAROL"]) {
      const read = codec.readTeam(team([lead, { name: taken }]), "t");
      expect(() => codec.addMember(read, joining)).toThrow(expect.objectContaining({ code: "name_taken" }));
    }
  },
);

test.each(each)("[ATP-MEM-015] %s: a member that ends is removed, not flagged; nobody else is touched", (_, codec) => {
  const read = codec.readTeam(team([lead, joining, { odd: 1 }]), "t");
  expect(namesIn(codec.removeMember(read, "carol"))).toEqual(["team-lead", { odd: 1 }]);
  expect(codec.removeMember(read, "dave")).toBeUndefined();
  expect(codec.amendMember(read, "dave", { isActive: true })).toBeUndefined();
});

test.each(each)("[ATP-TSK-017] %s: a change of one field leaves the faults of the others as they are", (_, codec) => {
  const text = JSON.stringify({
    id: "4",
    subject: "s",
    status: "pending",
    blocks: [1, "3"],
    owner: "alice@t",
    blockedBy: [],
  });
  const amended = codec.amendTask(codec.readTask(text, "4"), { status: "completed" }) as Task;
  expect(amended).toEqual({ ...JSON.parse(text), status: "completed" });
});

test.each(each)("%s: a patch that adds a fault of its own is refused with the field named", (_, codec) => {
  const read = codec.readTeam(team([lead, joining]), "t");
  expect(() => codec.amendMember(read, "carol", { joinedAt: -1 })).toThrow("/members/1/joinedAt is -1");
  const task = codec.readTask(codec.write(codec.newTask({ id: "4", subject: "s", description: "d" })), "4");
  expect(() => codec.amendTask(task, { owner: "alice@t" })).toThrow("/owner");
});

test.each(each)("%s: a document that a rewrite would harm, or that is none, is not amended", (_, codec) => {
  const big = team([lead]).replace('"createdAt":1', '"createdAt":1,"big":9007199254740993');
  for (const text of [big, "[]", '{"name":', "", '"team"', "5", "null"]) {
    expect(() => codec.addMember(codec.readTeam(text, "t"), joining), text).toThrow(
      expect.objectContaining({ code: "document_unwritable" }),
    );
  }
});

test.each(each)("%s: members that are no list are not replaced by one", (_, codec) => {
  for (const members of [{ carol: {} }, "carol", null]) {
    const read = codec.readTeam(JSON.stringify({ name: "t", createdAt: 1, leadAgentId: "a@t", members }), "t");
    for (const change of [() => codec.addMember(read, joining), () => codec.removeMember(read, "carol")]) {
      expect(change).toThrow(expect.objectContaining({ code: "document_unwritable" }));
    }
  }
});

test("marking what was read leaves an element that is no message as it stands", () => {
  const codec = codecFor("2026-02");
  const strange = [null, "abc", [1], 5];
  expect(codec.consume(codec.readInbox(JSON.stringify(strange)), new Set([0, 1, 2, 3]))).toEqual(strange);
});

const keysOf = (document: object | undefined, index: number) =>
  Object.keys((document as TeamConfig | undefined)?.members[index] ?? {});

test.each(each)("%s: a place that another client wrote strangely stands in no other change's way", (_, codec) => {
  const strange = { agentId: "bob@t", name: "bob", joinedAt: 1, cwd: "src", tmuxPaneId: "x", backendType: "tmux" };
  const read = codec.readTeam(team([lead, strange]), "t");
  expect(codec.amendMember(read, "bob", { isActive: true })).toMatchObject({ members: [{}, { isActive: true }] });
  for (const patch of [{ tmuxPaneId: "y" }, { backendType: "pane" }, { cwd: "lib" }])
    expect(() => codec.amendMember(read, "bob", patch), JSON.stringify(patch)).toThrow(
      expect.objectContaining({ code: "document_invalid" }),
    );
});

test.each(each)(
  "%s: a new field of a member stands where the client writes it, also beside fields of tomorrow",
  (_, codec) => {
    const bob = { agentId: "bob@t", name: "bob", joinedAt: 1, cwd: "/p", backendType: "tmux", future: 1 };
    const read = codec.readTeam(team([lead, bob]), "t");
    const keys = keysOf(codec.amendMember(read, "bob", { isActive: true, tmuxPaneId: "%1" }), 1);
    expect(keys.slice(-3)).toEqual(["backendType", "isActive", "future"]);
    expect(keys.indexOf("tmuxPaneId")).toBe(keys.indexOf("joinedAt") + 1);
  },
);

test.each(each)("%s: a field of the team that is set later stands where the client writes it", (_, codec) => {
  const read = codec.readTeam(team([lead]), "t");
  const amended = codec.amendTeam(read, { leadSessionId: "s" });
  expect(Object.keys(amended)).toEqual(["name", "createdAt", "leadAgentId", "leadSessionId", "members"]);
  expect(codec.amendTeam({ ...read, raw: amended }, { leadSessionId: undefined })).toEqual(read.raw);
});

test.each(each)("%s: names of members are told apart to the letter, and the first of two is meant", (_, codec) => {
  const members = [lead, { agentId: "Carol@t", name: "Carol" }, joining, { ...joining, agentId: "carol@u" }];
  const read = codec.readTeam(team(members), "t");
  expect(codec.amendMember(read, "carol", { cwd: "/p" })).toMatchObject({
    members: [lead, members[1], { ...joining, cwd: "/p" }, members[3]],
  });
  expect(codec.amendMember(read, "CAROL", { cwd: "/p" })).toBeUndefined();
  expect(codec.removeMember(read, "carol")).toMatchObject({ members: [lead, members[1]] });
  expect(codec.removeMember(read, "CAROL")).toBeUndefined();
});

test.each(each)("%s: a document that has no list of members takes the first, and has nobody to amend", (_, codec) => {
  const read = codec.readTeam(JSON.stringify({ name: "t", createdAt: 1, leadAgentId: "carol@t" }), "t");
  expect(codec.addMember(read, joining)).toMatchObject({ members: [joining] });
  expect(codec.amendMember(read, "carol", {})).toBeUndefined();
  expect(codec.removeMember(read, "carol")).toBeUndefined();
});

test.each(each)("%s: every error says what is wrong with the change, and not what was wrong before", (_, codec) => {
  const strangers = [lead, joining, null, { name: 5 }];
  const read = codec.readTeam(team(strangers), "t");
  expect(() => codec.addMember(read, joining)).toThrow(
    expect.objectContaining({ code: "name_taken", details: { name: "carol" } }),
  );
  expect(() => codec.addMember(read, { agentId: "dave@t", name: "dave", joinedAt: -1 })).toThrow(
    expect.objectContaining({
      code: "document_invalid",
      message: "the document would not be right: /members/4/joinedAt is -1, not at least 0",
      details: { problems: [expect.objectContaining({ path: "/members/4/joinedAt" })] },
    }),
  );
  for (const patch of [{ createdAt: -1 }, { leadAgentId: "nobody@t" }])
    expect(() => codec.amendTeam(read, patch)).toThrow(expect.objectContaining({ code: "document_invalid" }));
  const torn = codec.readTeam('{"name":', "t");
  expect(() => codec.amendTeam(torn, {})).toThrow(
    expect.objectContaining({
      code: "document_unwritable",
      message: "the document cannot be rewritten: the text stops in the middle, at offset 8",
      details: { problems: torn.problems },
    }),
  );
  expect(() => codec.removeMember({ ...read, raw: [], problems: [] }, "carol")).toThrow("rewritten: it is no object");
  expect(() => codec.removeMember({ ...read, raw: null, problems: [] }, "carol")).toThrow("rewritten: it is no object");
});
