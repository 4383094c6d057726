import type { Overview, RootOverview } from "@troupe/store";
import { expect, test } from "vitest";
import { paint } from "../paint.ts";
import { overviewText, rootText } from "./overview-text.ts";

const plain = { columns: Infinity, hasColor: false };
const renderOverview = (overview: Overview) => paint(overviewText(overview), plain);
const renderRoot = (root: RootOverview) => paint(rootText(root), plain);

const empty: Overview = {
  team: "t",
  form: "2026-02",
  description: undefined,
  createdAt: undefined,
  members: [],
  mail: [],
  tasks: [],
  unreadable: [],
  problems: [],
};
type Shown = Overview["members"][number];
const member = (name: string, more: Partial<Shown["member"]> = {}, shown: Partial<Shown> = {}): Shown => ({
  member: { agentId: "a@t", name, ...more },
  isLead: false,
  backend: undefined,
  ...shown,
});
const mail = (agent: string, unread: number) => ({ agent, unread, entries: [], messages: [] });
const linesOf = (overview: Partial<Overview>) => renderOverview({ ...empty, ...overview }).split("\n");
const fold = (line: string) => line.replaceAll(/ +/g, " ");

test("a team without anything has its name, its revision and its two headings, and no problems", () => {
  const members = ["  MEMBERS", "  none that can be read"];
  expect(linesOf({})).toEqual(["t  (revision 2026-02)", "", ...members, "", "  TASKS", "  none"]);
});

test.each([
  ["2026-11", "revision 2026-11"],
  ["between", "between the revisions, read only"],
  [undefined, "revision unknown"],
] as const)("the form %s is shown as %s", (form, label) => {
  expect(linesOf({ form })[0]).toBe(`t  (${label})`);
});

test("a team's description is shown below its name, if there is one", () => {
  expect(linesOf({ description: "Read the code" })[1]).toBe("  Read the code");
  expect(linesOf({ description: "" })).toEqual(linesOf({}));
});

test("a member shows what is known of it: lead, type, backend, pane, whether it works, and its unread mail", () => {
  const members = [
    member("boss", { agentType: "team-lead" }, { isLead: true }),
    member("tmuxed", { tmuxPaneId: "%14", isActive: true }, { backend: "tmux" }),
    member("inside", { tmuxPaneId: "in-process", isActive: false }, { backend: "in-process" }),
    member("paned", { tmuxPaneId: "%2" }),
  ];
  expect(
    linesOf({ members, mail: [mail("inside", 3)] })
      .slice(3, 7)
      .map(fold),
  ).toEqual([
    " boss (lead) team-lead 0 unread",
    " tmuxed tmux %14 working 0 unread",
    " inside in-process idle 3 unread",
    " paned %2 0 unread",
  ]);
});

test("mail for somebody who is no member is shown as such, behind the members", () => {
  expect(
    linesOf({ members: [member("alice")], mail: [mail("gone", 2), mail("alice", 1)] })
      .slice(3, 5)
      .map(fold),
  ).toEqual([" alice 1 unread", " gone not a member 2 unread"]);
});

test("a task shows its owner, its subject and every blocker, as far as there are any", () => {
  const tasks = [
    {
      task: { id: "1", status: "in_progress", owner: "alice", subject: "One" } as const,
      changedAt: 0,
      openBlockers: [],
    },
    { task: { id: "2", status: "pending" } as const, changedAt: 0, openBlockers: ["1"] },
    { task: { id: "3", status: "pending" } as const, changedAt: 0, openBlockers: ["1", "2"] },
  ];
  const lines = linesOf({ tasks });
  expect(lines.slice(lines.indexOf("  TASKS") + 1).map(fold)).toEqual([
    " #1 in_progress alice One",
    " #2 pending blocked by #1",
    " #3 pending blocked by #1, #2",
  ]);
});

test("a problem shows its file and what mends it", () => {
  const problem = {
    path: "/a",
    code: "field_missing",
    message: "/a is missing",
    fix: "add /a",
    file: "x.json",
  } as const;
  expect(linesOf({ problems: [problem] }).slice(-3)).toEqual([
    "  PROBLEMS",
    "  x.json: /a is missing",
    "    fix: add /a",
  ]);
});

test("columns stand below one another without blanks at the end of a line, and an empty one takes no room", () => {
  const members = [member("a", { agentType: "long-type" }), member("longer", { agentType: "t" }), member("b")];
  const lines = linesOf({ members }).slice(3, 6);
  expect(lines.map((line) => line.indexOf("0 unread"))).toEqual(Array(3).fill(lines[0]?.indexOf("0 unread")));
  expect(lines[1]).toBe(`  longer  t${" ".repeat("ong-type".length + 2)}0 unread`);
  const tasks = [{ task: { id: "1", status: "pending" } as const, changedAt: 0, openBlockers: [] }];
  for (const line of linesOf({ members, tasks })) expect(line).toBe(line.trimEnd());
});

const wide =
  "\u1100\u115e\u2e80\u3042\u4e2d\ua4cf\uac00\ud7a3\uf900\ufaff\ufe30\ufe6f\uff01\uff60\uffe0\uffe6\u{1F600}";
const narrow = "a\u00e9\u10ff\u2e7f\ua4d0\uabff\ud7a4\ufb00\ufe70\uff61\uffdf\uffe7";

test("a wide character takes two columns and a narrow one takes one", () => {
  for (const [chars, columns] of [
    [wide, 2],
    [narrow, 1],
  ] as const) {
    for (const char of chars) {
      const [first, second] = linesOf({ members: [member(`${char}${char}`), member("abcdefgh")] }).slice(3, 5);
      expect(first?.indexOf("0 unread"), char).toBe((second?.indexOf("0 unread") ?? 0) - columns * 2 + char.length * 2);
    }
  }
});

test("no control character or line break gets through, at any position", () => {
  const controls = [...Array(32).keys(), 0x7f, 0x80, 0x9b, 0x9f, 0x202a, 0x202e, 0x2066, 0x2069];
  for (const char of controls.map((code) => String.fromCharCode(code))) {
    const hostile = `x${char}y${char}z`;
    const text = renderOverview({
      ...empty,
      team: hostile,
      description: hostile,
      members: [member(hostile, { agentType: hostile })],
      mail: [mail(hostile, 1)],
      tasks: [
        { task: { id: "1", status: "pending", subject: hostile, owner: hostile }, changedAt: 0, openBlockers: [] },
      ],
      problems: [{ path: "", code: "field_invalid", file: hostile, message: hostile, fix: hostile }],
    });
    expect(text.split("\n"), JSON.stringify(char)).toHaveLength(12);
    if (char !== "\n") expect(text.includes(char), JSON.stringify(char)).toBe(false);
  }
});

test("entries of the teams directory that are not teams are listed last, and only if there are any", () => {
  const problem = {
    path: "",
    code: "document_malformed",
    file: "teams/a\u001bb",
    message: "no directory\nat all",
    fix: "remove it",
  } as const;
  expect(renderRoot({ teams: [], lists: [], problems: [] })).toBe("");
  expect(renderRoot({ teams: [empty, empty], lists: [], problems: [] })).toBe(
    `${renderOverview(empty)}\n\n${renderOverview(empty)}`,
  );
  expect(
    renderRoot({ teams: [empty], lists: [], problems: [problem, problem] })
      .split("\n")
      .slice(-6),
  ).toEqual([
    "",
    "  NO TEAMS",
    "  teams/a\uFFFDb: no directory\uFFFDat all",
    "    fix: remove it",
    "  teams/a\uFFFDb: no directory\uFFFDat all",
    "    fix: remove it",
  ]);
});

test("a colour that a stranger put into a name is shown as what it is, and the columns stand", () => {
  const lines = linesOf({ members: [member("\u001b[31mab\u001b[0m"), member("abcd")] }).slice(3, 5);
  expect(lines[0]).toMatch(/^ {2}\uFFFD\[31mab\uFFFD\[0m +0 unread$/);
  expect(lines[0]?.indexOf("0 unread")).toBe(lines[1]?.indexOf("0 unread"));
});
