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
  for (const text of [big, "[]", '{"name":', ""]) {
    expect(() => codec.addMember(codec.readTeam(text, "t"), joining), text).toThrow(
      expect.objectContaining({ code: "document_unwritable" }),
    );
  }
});

test("marking what was read leaves an element that is no message as it stands", () => {
  const strange = [null, "abc", [1], 5];
  expect(codecFor("2026-02").consume(strange, new Set([0, 1, 2, 3]))).toEqual(strange);
});
