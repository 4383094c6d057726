import { describe, expect, test } from "vitest";
import { chanceFrom } from "../run/chance.ts";
import { linearise, type Model, type Operation } from "./linearise.ts";
import { counterModel, inboxModel, membersModel, tasksModel } from "./models.ts";

/** Tries every order of every choice of unanswered calls: the definition, word for word. */
function isExplainedByTrying<State>(operations: readonly Operation[], model: Model<State>): boolean {
  const endOf = ({ ret }: Operation) => ret ?? Number.POSITIVE_INFINITY;
  const tryFrom = (rest: readonly Operation[], state: State): boolean => {
    if (rest.every(({ ret }) => ret === undefined)) return true;
    return rest.some((operation) => {
      const others = rest.filter((other) => other !== operation);
      if (others.some((other) => endOf(other) < operation.call)) return false;
      const next = model.step(state, operation);
      return next !== undefined && tryFrom(others, next);
    });
  };
  return tryFrom(operations, model.initial);
}

type Random = () => number;
const pick = <T>(random: Random, choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;

const ok = (op: string, args: object, reply: object = {}) => ({
  op,
  args: args as never,
  outcome: "ok" as const,
  reply,
});
const failed = (op: string, args: object, name: string) => ({
  op,
  args: args as never,
  outcome: "fail" as const,
  reply: { name, message: "" },
});
type Untimed = Omit<Operation, "call" | "ret">;

const alphabets: readonly { name: string; model: Model<never>; draw: (random: Random) => Untimed }[] = [
  {
    name: "an inbox",
    model: inboxModel(["a", "b", "c"]) as Model<never>,
    draw: (random) => {
      const texts = pick(random, [[], ["a"], ["b"], ["a", "b"], ["b", "c"]]);
      const messages = texts.map((text) => ({ text }));
      return pick(random, [
        ok("inbox.append", { text: pick(random, ["a", "b", "c"]) }),
        ok("inbox.read", {}, { messages }),
        ok("take", { texts }),
      ]);
    },
  },
  {
    name: "a counter",
    model: counterModel as Model<never>,
    draw: (random) => ok("task.create", {}, { id: pick(random, ["1", "2", "3", "4"]) }),
  },
  {
    name: "the members",
    model: membersModel(["x"]) as Model<never>,
    draw: (random) => {
      const args = { name: pick(random, ["x", "y"]) };
      const members = pick(random, [[], ["x"], ["y"], ["x", "y"]]).map((name) => ({ name }));
      return pick(random, [
        ok("member.add", args),
        failed("member.add", args, "conflict"),
        ok("member.remove", args),
        failed("member.remove", args, "notFound"),
        ok("team.get", {}, { config: { members } }),
      ]);
    },
  },
  {
    name: "tasks",
    model: tasksModel({
      1: { status: "pending", after: [] },
      2: { status: "pending", after: ["1"] },
    }) as Model<never>,
    draw: (random) => {
      const args = { id: pick(random, ["1", "2"]), agent: pick(random, ["x", "y"]) };
      return pick(random, [
        ok("task.claim", args),
        failed("task.claim", args, pick(random, ["conflict", "blocked"])),
        ok("task.update", { id: args.id, status: "completed" }),
        ok("task.update", { id: args.id, owner: null }),
      ]);
    },
  },
];

function historyFrom(random: Random, draw: (random: Random) => Untimed): readonly Operation[] {
  return Array.from({ length: 2 + Math.floor(random() * 5) }, () => {
    const call = Math.floor(random() * 12);
    const operation = draw(random);
    if (random() < 0.15) return { ...operation, call, outcome: "info" as const, reply: undefined };
    return { ...operation, call, ret: call + Math.floor(random() * 6) };
  }).filter(({ op, outcome }) => outcome !== "info" || !["inbox.read", "team.get", "take"].includes(op));
}

describe.each(alphabets)("histories of $name", ({ model, draw }) => {
  test("the search explains random histories exactly if trying every order does", () => {
    const random = chanceFrom(20_260_201);
    const counts = { explained: 0, unexplained: 0 };
    for (let round = 0; round < 2_000; round += 1) {
      const history = historyFrom(random, draw);
      const { verdict } = linearise(history, model);
      const expected = isExplainedByTrying(history, model) ? "explained" : "unexplained";
      expect(verdict, JSON.stringify(history)).toBe(expected);
      counts[expected] += 1;
    }
    expect(Math.min(counts.explained, counts.unexplained), JSON.stringify(counts)).toBeGreaterThan(75);
  });
});

describe("a search that is too large", () => {
  const crowd = (count: number): readonly Operation[] =>
    Array.from({ length: count }, (_, index) => ({ ...ok("member.add", { name: `m${index}` }), call: 0, ret: 1 }));
  const impossible: Operation = { ...ok("team.get", {}, { config: { members: [] } }), call: 2, ret: 3 };

  test("a search that reaches its limit of states is undecided, never explained", () => {
    const found = linearise([...crowd(18), impossible], membersModel([]), { ms: 60_000, states: 1_000 });
    expect(found.verdict).toBe("undecided");
  });

  test("a search that reaches its time limit is undecided, never explained", () => {
    const found = linearise([...crowd(18), impossible], membersModel([]), { ms: 0, states: 2 ** 30 });
    expect(found.verdict).toBe("undecided");
  });

  test("a search within its limits is decided", () => {
    expect(linearise([...crowd(8), impossible], membersModel([])).verdict).toBe("unexplained");
  });
});
