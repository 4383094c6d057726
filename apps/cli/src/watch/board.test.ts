import { expect, test } from "vitest";
import { widthOf } from "../visible.ts";
import { type Board, type BoardTeam, boardRows, choicesIn, chosenAfter } from "./board.ts";

const plan = Array.from({ length: 10 }, (_, at) => `- point ${at} of a plan that is long enough to be broken`);
const requests = [
  {
    kind: "permission",
    id: "perm-1",
    from: "m0",
    at: "2026-02-13T10:00:00Z",
    tool: "Bash",
    reason: "no rule allows it",
  },
  { kind: "plan", id: "plan-1", from: "m1", at: "2026-02-13T10:00:00Z", text: plan.join("\n") },
] as unknown as BoardTeam["requests"];

/** A team of so many teammates and tasks. */
function teamOf(members: number, tasks: number, waiting: BoardTeam["requests"] = []): BoardTeam {
  const overview = {
    team: "alpha",
    members: Array.from({ length: members + 1 }, (_, at) => ({
      member: { name: at === 0 ? "team-lead" : `a-member-with-a-long-name-${at}` },
      isLead: at === 0,
    })),
    tasks: Array.from({ length: tasks }, (_, at) => ({
      task: { id: `${at + 1}`, status: "pending", subject: "Read the grammar of the language 文法を読む".repeat(2) },
      openBlockers: at === 0 ? [] : [`${at}`],
    })),
  } as unknown as BoardTeam["overview"];
  return { overview, activities: new Map(), requests: waiting };
}

const now = new Date("2026-02-13T10:00:05Z");
const drawn = (board: Partial<Board>, columns = 59, rows = 30) =>
  boardRows({ teams: [], chosen: 0, message: "", now, ...board }, { columns, rows, hasColor: false });

test.each([0, 3, 40].flatMap((members) => [59, 99, 159].map((columns) => [members, columns] as const)))(
  "with %d members in %d columns the head, what is chosen, the keys and the message are on the screen, and no line is too long",
  (members, columns) => {
    const teams = [teamOf(members, members * 2, members > 0 ? requests : [])];
    for (const [chosen, choice] of choicesIn(teams).entries()) {
      const { lines } = drawn({ teams, chosen, message: "allowed for m0" }, columns);
      expect(lines.length).toBeLessThanOrEqual(30);
      for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
      expect(lines[0]).toMatch(/^troupe watch {2}1 live team/);
      expect(lines.slice(-2)).toEqual(["↑↓ choose · enter its pane · a allow · d deny · q leave", "allowed for m0"]);
      const name = choice.kind === "request" ? choice.request.from : choice.member;
      expect(lines.filter((line) => line.startsWith(">")).join()).toContain(name);
    }
  },
);

test("what does not fit is counted above and below, and further lines stand below their own", () => {
  const { lines } = drawn({ teams: [teamOf(40, 10)], chosen: 39 });
  expect(lines.at(-2)).toMatch(/^↑ \d+ above · ↓ \d+ below$/);
  expect(lines.join("\n")).toMatch(/\n {4}#1 pending {2}Read.*\n {8}\S/);
  expect(drawn({ teams: [teamOf(3, 0)] }).lines.at(-2)).toBe("");
});

test("what waits for the person stands first, with all of what is chosen; whether it is there to its end is said", () => {
  const board = { teams: [teamOf(3, 3, requests)], chosen: 1 };
  const { lines, isChosenWhole } = drawn(board);
  expect(lines.slice(2, 5)).toEqual([
    "WAITS FOR YOU",
    "  alpha m0 asks to use Bash: no rule allows it  5 s",
    "> alpha m1 asks to carry out a plan  5 s",
  ]);
  expect([isChosenWhole, lines.join("\n").includes("point 9")]).toEqual([true, true]);
  expect(drawn(board, 59, 12).isChosenWhole).toBe(false);
});

test("where no team is live it is said", () => {
  expect(drawn({}).lines).toContain("No team is live. One that begins comes up here by itself.");
});

test("what is chosen stays chosen while others come, and where it has gone the next key answers nothing else", () => {
  const [first, second] = requests;
  const [withBoth, withOne, none] = [requests, second ? [second] : [], []].map((waiting) =>
    choicesIn([teamOf(2, 0, waiting)]),
  );
  if (!first || !withBoth || !withOne || !none) throw new Error("there is none");
  const [plan] = withOne;
  expect(chosenAfter({ choice: plan, at: 0, isMeant: false }, withBoth)).toEqual({ chosen: 1, isAnother: false });
  expect(chosenAfter({ choice: withBoth[0], at: 0, isMeant: true }, withOne)).toEqual({ chosen: 0, isAnother: true });
  expect(chosenAfter({ choice: none[0], at: 0, isMeant: false }, withBoth)).toEqual({ chosen: 0, isAnother: false });
  expect(chosenAfter({ choice: none[0], at: 0, isMeant: true }, withBoth)).toEqual({ chosen: 2, isAnother: false });
  expect(chosenAfter({ choice: plan, at: 0, isMeant: true }, [])).toEqual({ chosen: 0, isAnother: true });
});
