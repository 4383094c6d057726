import { entryKeys, type InboxEntry, type Member, type Task } from "@troupe/protocol";
import { changesBetween, type Overview } from "@troupe/store";
import { expect, test } from "vitest";
import { paint } from "../paint.ts";
import { toldChange } from "./changes.ts";

interface Made {
  readonly members?: readonly Member[];
  readonly mail?: Readonly<Record<string, readonly InboxEntry[]>>;
  readonly tasks?: readonly Task[];
  readonly problems?: Overview["problems"];
  readonly unreadable?: readonly string[];
}
const messagesOf = (entries: readonly InboxEntry[]) => {
  const keys = entryKeys(entries);
  return entries.map((entry, at) => ({ key: keys[at] ?? "", entry }));
};
const team = ({ members = [], mail = {}, tasks = [], problems = [], unreadable = [] }: Made = {}): Overview => ({
  team: "t",
  form: "2026-02",
  description: undefined,
  createdAt: undefined,
  members: members.map((member) => ({ member, isLead: false, backend: undefined })),
  mail: Object.entries(mail).map(([agent, entries]) => ({ agent, unread: 0, entries, messages: messagesOf(entries) })),
  tasks: tasks.map((task) => ({ task, changedAt: 0, openBlockers: task.blockedBy ?? [] })),
  unreadable,
  problems,
});
const told = (before: Made, after: Made) =>
  changesBetween(team(before), team(after))
    .map((change) => toldChange(change, "2026-02", () => "bob"))
    .map(({ document, line, more }) => [
      document.event,
      paint([line, ...more], { columns: Infinity, hasColor: false }),
    ]);
const member = (name: string, more: Partial<Member> = {}): Member => ({ agentId: `${name}@t`, name, ...more });
const entry = (text: string, more: Partial<InboxEntry> = {}): InboxEntry => ({
  from: "a",
  text,
  timestamp: "2026-02-13T10:00:00Z",
  read: false,
  ...more,
});
const task = (id: string, more: Partial<Task> = {}): Task => ({ id, subject: `t${id}`, status: "pending", ...more });

test("two equal states of a team give no changes", () => {
  const made = {
    members: [member("a", { isActive: true }), member("b")],
    mail: { a: [entry("x")] },
    tasks: [task("1")],
  };
  expect(told(made, made)).toEqual([]);
});

test("a member joins, works, rests and leaves", () => {
  expect(told({}, { members: [member("a", { isActive: true })] })).toEqual([["member_joined", "a joined"]]);
  expect(told({ members: [member("a")] }, { members: [member("a", { isActive: true })] })).toEqual([
    ["member_changed", "a works"],
  ]);
  expect(told({ members: [member("a")] }, { members: [member("a", { isActive: false })] })).toEqual([
    ["member_changed", "a is idle"],
  ]);
  expect(told({ members: [member("a", { isActive: true })] }, { members: [member("a")] })).toEqual([]);
  expect(told({ members: [member("a")] }, {})).toEqual([["member_left", "a left"]]);
});

test("a message arrives once, also beside one that is alike, and is read by marking or by removing it", () => {
  const one = { mail: { b: [entry("x")] } };
  expect(told({}, one)).toEqual([["message", "a to b: x"]]);
  expect(told(one, { mail: { b: [entry("x"), entry("x"), entry("y\nz")] } })).toEqual([
    ["message", "a to b: x"],
    ["message", "a to b: y\n    z"],
  ]);
  const taken = [["messages_taken", "b has read 1 message"]];
  expect(told(one, { mail: { b: [entry("x", { read: true })] } })).toEqual(taken);
  expect(told(one, { mail: { b: [] } })).toEqual(taken);
  expect(told(one, {})).toEqual(taken);
  expect(told({ mail: { b: [entry("x", { read: true })] } }, {})).toEqual([]);
});

test("a task is made, changed and deleted, and what of it changed is said", () => {
  const before = { tasks: [task("1"), task("2")] };
  expect(told(before, { tasks: [task("1"), task("2"), task("3", { blockedBy: ["1"] })] })).toEqual([
    ["task", "#3 pending  t3  waits for #1"],
  ]);
  expect(told(before, { tasks: [task("1", { status: "in_progress", owner: "a" }), task("2")] })).toEqual([
    ["task", "#1 pending -> in_progress  t1  a"],
  ]);
  expect(told(before, { tasks: [task("1", { blocks: ["2"], description: "d" }), task("2")] })).toEqual([
    ["task", "#1 pending  t1  (blocks, description)"],
  ]);
  expect(told(before, { tasks: [task("2")] })).toEqual([["task_deleted", "#1 t1 was deleted"]]);
});

test("a task whose file can no longer be read is no deleted one: what is wrong is told, once", () => {
  const problem = {
    file: "tasks/t/1.json",
    path: "",
    code: "document_torn",
    message: "it is torn",
    fix: "repair it",
  } as const;
  const after = { problems: [problem], unreadable: ["1"] };
  expect(told({ tasks: [task("1")] }, after)).toEqual([
    ["problem", "problem tasks/t/1.json: it is torn\n    fix: repair it"],
  ]);
  expect(told(after, after)).toEqual([]);
});
