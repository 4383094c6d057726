import { expect, test } from "vitest";
import type { MemberView, RequestView, TeamSummary } from "../../views.ts";
import { isFound } from "./find.ts";
import { byState, needsIn } from "./now.ts";
import { hashOf, type Route, routeIn } from "./route.ts";
import { timelineOf } from "./timeline.ts";
import { windowOf } from "./window.ts";
import { ageText, counted, moneyText, shareText, tokenText } from "./words.ts";

const member = (name: string, state: MemberView["state"], since: string | null = null): MemberView => ({
  name,
  state,
  since,
  isLead: false,
  agentType: null,
  model: null,
  color: null,
  backend: null,
  pane: null,
  cwd: null,
  source: "log",
  line: null,
  unread: 0,
});
const request = (id: string, at: string): RequestView => ({
  id,
  at,
  team: "crew",
  kind: "plan",
  from: "ann",
  tool: null,
  reason: null,
  fields: [],
  diff: null,
  plan: "",
  path: null,
  digest: null,
  canAnswer: true,
});
const team = (more: Partial<TeamSummary>): TeamSummary => ({
  name: "crew",
  form: "2026-11",
  description: "",
  isLive: true,
  changedAt: 0,
  members: [],
  requests: [],
  stuck: [],
  counts: { ready: 0, blocked: 0, in_progress: 0, completed: 0 },
  problems: [],
  ...more,
});

test("what waits for a person comes first, the oldest request before all; then who died, then what is held up", () => {
  const stuck = [
    { id: "7", subject: "", status: "in_progress", owner: "bob", openBlockers: [], changedAt: 0 },
  ] as const;
  const teams = [
    team({ stuck, members: [member("bob", "lost"), member("cleo", "working"), member("dan", "idle")] }),
    team({
      name: "other",
      requests: [request("late", "2026-11-19T10:00:00Z"), request("early", "2026-11-19T09:00:00Z")],
    }),
    team({ name: "ended", isLive: false, requests: [request("past", "2026-11-19T08:00:00Z")] }),
  ];
  const said = needsIn(teams).map((need) =>
    need.kind === "request" ? need.request.id : need.kind === "member" ? need.member.name : `#${need.task.id}`,
  );
  expect(said).toEqual(["early", "late", "bob", "#7"]);
});

test("members stand by what they do, those that a person has to look at first", () => {
  const states = ["idle", "unknown", "working", "lost", "needs_input", "waiting", "failed"] as const;
  expect(byState(states.map((state) => member(state, state))).map(({ name }) => name)).toEqual([
    "needs_input",
    "failed",
    "lost",
    "working",
    "waiting",
    "idle",
    "unknown",
  ]);
});

test.each<[string, Partial<Route> & Pick<Route, "screen">]>([
  ["#/now", { screen: "now" }],
  ["#/doctor", { screen: "doctor" }],
  ["#/team/crew/board", { screen: "board", team: "crew" }],
  ["#/team/crew/board?q=a+b&pick=3", { screen: "board", team: "crew", q: "a b", pick: "3" }],
  ["#/team/a%2Fb%3Fc/member/d%23e", { screen: "member", team: "a/b?c", of: ["d#e"] }],
  ["#/team/crew/threads/ann/bob", { screen: "threads", team: "crew", of: ["ann", "bob"] }],
])("the address %s says what is shown, and the other way round", (hash, route) => {
  expect(hashOf(route)).toBe(hash);
  expect(routeIn(hash)).toEqual({ team: undefined, of: [], q: "", pick: "", ...route });
});

test.each(["", "#", "#/", "#/nothing", "#/team", "#/team/", "#/team/%zz/nowhere"])(
  "the address %j is not ours, and still shows something",
  (hash) => {
    expect(["now", "board"]).toContain(routeIn(hash).screen);
  },
);

test("what each member did is placed along the time, up to now while it lasts", () => {
  const at = (second: number) => new Date((1_000 + second) * 1_000).toISOString();
  const lanes = [
    {
      name: "ann",
      spans: [
        { from: at(0), to: at(30), state: "working" as const },
        { from: at(30), to: null, state: "idle" as const },
      ],
    },
  ];
  const { lanes: placed, seconds } = timelineOf({ from: at(0), to: at(60), lanes, marks: [], earlier: 0 }, 1_120_000);
  expect(seconds).toBe(120);
  expect(placed[0]?.stretches).toMatchObject([
    { left: 0, width: 0.25, state: "working" },
    { left: 0.25, width: 0.75, state: "idle" },
  ]);
  expect(placed[0]?.sums).toEqual({ working: 30, idle: 90 });
  const ended = lanes.map(({ name, spans }) => ({
    name,
    spans: spans.map((span) => ({ ...span, to: span.to ?? at(60) })),
  }));
  expect(timelineOf({ from: at(0), to: at(60), lanes: ended, marks: [], earlier: 0 }, 1_120_000).seconds).toBe(60);
  expect(timelineOf({ from: null, to: null, lanes: [], marks: [], earlier: 0 }, 5).lanes).toEqual([]);
});

test("of stretches too short to be told apart the first is drawn, and their sums count all", () => {
  const at = (second: number) => new Date((1_000 + second) * 1_000).toISOString();
  const spans = Array.from({ length: 10_000 }, (_, second) => ({
    from: at(second),
    to: at(second + 1),
    state: second % 2 === 0 ? ("working" as const) : ("idle" as const),
  }));
  const lanes = [{ name: "ann", spans }];
  const { lanes: placed } = timelineOf({ from: at(0), to: at(10_000), lanes, marks: [], earlier: 0 }, 0);
  expect(placed[0]?.stretches).toHaveLength(240);
  expect(placed[0]?.sums).toEqual({ working: 5_000, idle: 5_000 });
});

test("of ten thousand rows those are made that can be seen, and the rest leaves its room", () => {
  const { first, last, before, after } = windowOf(10_000, 20, 100_000, 400);
  expect([first, last]).toEqual([4_994, 5_026]);
  expect(before + (last - first) * 20 + after).toBe(200_000);
  expect(windowOf(3, 20, 0, 400)).toEqual({ first: 0, last: 3, before: 0, after: 0 });
  expect(windowOf(0, 20, 500, 400)).toEqual({ first: 0, last: 0, before: 0, after: 0 });
  expect(windowOf(5, 20, 9_000, 400).last).toBe(5);
});

test("all words that are searched for have to stand there", () => {
  expect(isFound("", "x")).toBe(true);
  expect(isFound("Par ser", "the PARSER", null)).toBe(true);
  expect(isFound("par lexer", "the parser", undefined)).toBe(false);
});

test("ages, counts, money and shares are said as in a terminal", () => {
  expect(["1970-01-01T00:00:00.000Z", "nothing", null].map((since) => ageText(since, 0))).toEqual(["", "", ""]);
  expect([1, 59, 61, 3_601, 90_000].map((age) => ageText(1_000, 1_000 + age * 1_000))).toEqual([
    "1 s",
    "59 s",
    "1 m",
    "1 h",
    "1 d",
  ]);
  expect([counted(1, "task"), counted(0, "task")]).toEqual(["1 task", "0 tasks"]);
  expect([moneyText(null), moneyText(0.5)]).toEqual(["price not known", "$0.5000"]);
  expect([tokenText(9_999), tokenText(10_400), tokenText(12_000_000)]).toEqual(["9999", "10k", "12M"]);
  expect([shareText(1, 0), shareText(1, 3)]).toEqual(["0 %", "33 %"]);
});
