import fc from "fast-check";
import { expect, test } from "vitest";
import * as published from "./index.ts";
import { codecFor, revisions } from "./index.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
const hostile: readonly unknown[] = [
  undefined,
  null,
  5,
  Number.NaN,
  -1n,
  true,
  "",
  "\ud800",
  "a\0b",
  "x".repeat(10_000),
  {},
  [],
  cyclic,
  { n: 1n, body: { type: "x" }, text: 5 },
  Symbol("s"),
  () => undefined,
  new Date(Number.NaN),
  new Map(),
  Object.create(null),
  JSON.parse('{"__proto__":{"text":"x"},"constructor":5,"toString":5}'),
];

const entry = {
  from: { name: "bob", color: "blue" },
  content: { text: "x", summary: "s" },
  timestamp: "2026-02-13T10:45:20.631Z",
  messageId: "0f1e2d3c-4b5a-4968-8776-655443322110",
};
const read = {
  value: {},
  raw: { name: "t", members: [{ name: "alice" }] },
  problems: [],
  isWritable: true,
  positions: [],
};
const inbox = { ...read, raw: [], entries: [] };
const team = { name: "t", createdAt: 1, leadSessionId: "s", leadModel: "m", cwd: "/p", leadProcess: { pid: 1 } };
const mate = { name: "a", team: "t", agentType: "x", model: "m", prompt: "", color: "blue", joinedAt: 1, cwd: "/p" };

/** What makes a name, an id, a path or a document, each with arguments that are right. */
const makers: Readonly<Record<string, readonly unknown[]>> = {
  teamName: ["t"],
  agentName: ["a"],
  taskId: ["1"],
  isTeamName: ["t"],
  isAgentName: ["a"],
  isTaskId: ["1"],
  sessionTeamName: ["0f1e2d3c"],
  deletedTeamName: ["t", "0f1e2d3c-4b5a-4968-8776-655443322110"],
  worktreeSlug: ["a/b"],
  worktree: ["/r", "a"],
  makeAgentId: ["a", "t"],
  makeShutdownId: [1, "a"],
  makePlanApprovalId: [1, "a", "t"],
  makePermissionId: [1, "abcdefg"],
  makeRunId: ["0123456789abcdef", "a"],
  layoutOf: ["/r"],
  agentMemory: ["user", "a", "/r", "/p"],
  agentOutput: ["/tmp", 0, "p", "s", "a1"],
  codecFor: ["2026-02"],
  planFileName: [() => 0.5],
  writeJson: [{ a: 1 }],
  readJson: ["{}"],
  readBody: ["x", "2026-02"],
  detectForm: ["{}", []],
};
const documents: Readonly<Record<string, readonly unknown[]>> = {
  newTeam: [team],
  newTeammate: [mate],
  newEntry: [entry],
  newTask: [{ id: "1", subject: "s", description: "d", activeForm: "a", metadata: { k: 1 } }],
  readTeam: ["{}", "t"],
  readInbox: ["[]"],
  readTask: ["{}", "1"],
  readBody: ["{}"],
  amendTeam: [read, { createdAt: 1 }],
  addMember: [read, { agentId: "b@t", name: "b" }],
  amendMember: [read, "alice", { isActive: true }],
  removeMember: [read, "alice"],
  amendTask: [read, { status: "pending" }],
  append: [inbox, [entry]],
  consume: [inbox, new Set([0])],
  write: [{ a: 1 }],
};

type Call = readonly [name: string, maker: (...args: readonly unknown[]) => unknown, args: readonly unknown[]];
const calls: readonly Call[] = [
  ...Object.entries(makers).map(
    ([name, args]): Call => [name, (published as unknown as Record<string, Call[1]>)[name] as Call[1], args],
  ),
  ...revisions.flatMap((revision) =>
    Object.entries(documents).map(([name, args]): Call => {
      const codec = codecFor(revision) as unknown as Record<string, Call[1]>;
      return [`${revision} ${name}`, codec[name] as Call[1], args];
    }),
  ),
];

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value));

const waysInto = (value: unknown): (readonly string[])[] =>
  isPlain(value)
    ? Object.keys(value).flatMap((key) => [[key], ...waysInto(value[key]).map((way) => [key, ...way])])
    : [];

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

const all = calls.flatMap(([name, maker, args]) => waysInto([...args]).map((way) => ({ name, maker, args, way })));

test("whatever a caller without types gives, what makes a name, an id, a path or a document says by a code what is wrong", () => {
  const wrong = fc.record({ at: fc.constantFrom(...all), by: fc.constantFrom(...hostile.keys()) });
  const property = fc.property(wrong, ({ at: { name, maker, args, way }, by }) => {
    try {
      maker(...(replaced([...args], way, hostile[by]) as readonly unknown[]));
    } catch (error) {
      expect(error, `${name} ${way.join(".")} of ${by}`).toMatchObject({
        name: "TroupeError",
        code: expect.any(String),
      });
    }
  });
  fc.assert(property, { numRuns: 3_000 });
});

test("every function of a codec is among them", () => {
  for (const revision of revisions) {
    const functions = Object.entries(codecFor(revision)).filter(([, value]) => typeof value === "function");
    expect(functions.map(([name]) => name).sort()).toEqual(Object.keys(documents).sort());
  }
});
