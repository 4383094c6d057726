import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inputDigest, planDigest } from "./digests.ts";
import {
  AgentId,
  makeAgentId,
  makePermissionId,
  makePlanApprovalId,
  makeRunId,
  makeShutdownId,
  parseAgentId,
  parsePermissionId,
  parsePlanApprovalId,
  parseRunId,
  parseShutdownId,
} from "./ids.ts";
import { isAgentName } from "./names.ts";

const name = fc.stringMatching(/^[A-Za-z0-9团é][A-Za-z0-9_-]{0,20}$/).filter(isAgentName);
const ms = fc.integer({ min: 0, max: 4_102_444_800_000 });

test("[MSG-12] [ATP-MSG-007] a shutdown id is shutdown-<ms>@<agent>", () => {
  expect(makeShutdownId(1770977603516, "verifier-01")).toBe("shutdown-1770977603516@verifier-01");
  expect(parseShutdownId("shutdown-1770977603516@verifier-01")).toEqual({ atMs: 1770977603516, agent: "verifier-01" });
});

test("[PLAN-05] [ATP-MSG-011] a plan approval id is plan_approval-<ms>@<agent>@<team>", () => {
  expect(makePlanApprovalId(1770979387887, "planner-01", "advanced-verify")).toBe(
    "plan_approval-1770979387887@planner-01@advanced-verify",
  );
});

test("[PPROT-03] [ATP-MSG-015] a permission id is perm-<ms>-<7 of a-z0-9>", () => {
  expect(makePermissionId(1770980462304, "4uqstf5")).toBe("perm-1770980462304-4uqstf5");
  for (const suffix of ["4UQSTF5", "short", "toolong8", "a-b-c-d"]) {
    expect(() => makePermissionId(1, suffix)).toThrow(expect.objectContaining({ code: "id_invalid" }));
  }
});

test("[TEAM-09] [ATP-MEM-001] an agent id is <name>@<team>", () => {
  expect(makeAgentId("alice", "analysis-team")).toBe("alice@analysis-team");
  expect(() => makeAgentId("alice@x", "t")).toThrow(expect.objectContaining({ code: "name_invalid" }));
});

test("every id parses back to what it was made from", () => {
  fc.assert(
    fc.property(
      ms,
      name,
      name,
      fc.stringMatching(/^[a-z0-9]{7}$/),
      fc.stringMatching(/^[0-9a-f]{16}$/),
      (at, agent, team, suffix, hex) => {
        expect(parseShutdownId(makeShutdownId(at, agent))).toEqual({ atMs: at, agent });
        expect(parsePlanApprovalId(makePlanApprovalId(at, agent, team))).toEqual({ atMs: at, agent, team });
        expect(parsePermissionId(makePermissionId(at, suffix))).toEqual({ atMs: at, suffix });
        expect(parseAgentId(makeAgentId(agent, team))).toEqual({ agent, team });
        expect(parseRunId(makeRunId(hex))).toEqual({ hex, agent: undefined });
        expect(parseRunId(makeRunId(hex, agent))).toEqual({ hex, agent });
      },
    ),
  );
});

test("[ATP-MEM-001] an agent id has one @ with something on either side, as far as a schema can say", () => {
  for (const text of ["a@t", "A b@t.deleted"]) expect(AgentId.safeParse(text).success, text).toBe(true);
  for (const text of ["", "a", "@", "@t", "a@", "a@t@u", "a@@t", "@a@t", "a@t@"])
    expect(AgentId.safeParse(text).success, text).toBe(false);
});

test("a team's remains are no team in an id, though an agent may be called so", () => {
  const remains = "t.deleted-e132a923-0d1e-4a56-9f0a-d9451b749ac2";
  expect(parseAgentId(`a@${remains}`)).toBeUndefined();
  expect(parseAgentId(`${remains}@t`)).toEqual({ agent: remains, team: "t" });
});

test.each<[string, (atMs: number) => string]>([
  ["shutdown", (atMs) => makeShutdownId(atMs, "a")],
  ["plan approval", (atMs) => makePlanApprovalId(atMs, "a", "t")],
  ["permission", (atMs) => makePermissionId(atMs, "4uqstf5")],
])("a %s id takes whole milliseconds of at most 15 digits and no other number", (_, make) => {
  for (const atMs of [0, 999_999_999_999_999]) expect(make(atMs)).toContain(`-${atMs}`);
  for (const atMs of [-1, 1.5, 1e15, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => make(atMs), String(atMs)).toThrow(expect.objectContaining({ code: "id_invalid", details: { atMs } }));
});

test("an id with the last time that can be written is read back", () => {
  const atMs = 999_999_999_999_999;
  expect(parseShutdownId(makeShutdownId(atMs, "a"))).toEqual({ atMs, agent: "a" });
  expect(parsePlanApprovalId(makePlanApprovalId(atMs, "a", "t"))).toEqual({ atMs, agent: "a", team: "t" });
  expect(parsePermissionId(makePermissionId(atMs, "4uqstf5"))).toEqual({ atMs, suffix: "4uqstf5" });
});

test.each<[string, () => string]>([
  ["the agent of a shutdown id", () => makeShutdownId(1, "../x")],
  ["the agent of a plan approval id", () => makePlanApprovalId(1, "a@b", "t")],
  ["the team of a plan approval id", () => makePlanApprovalId(1, "a", "t@u")],
  ["the team of an agent id", () => makeAgentId("a", "..")],
  ["the agent of a run", () => makeRunId("0123456789abcdef", "../x")],
])("[ATP-FS-006] %s is a name", (_, make) => {
  expect(make).toThrow(expect.objectContaining({ code: "name_invalid" }));
});

test("the random part of an id has its length and its alphabet, and the error says which it had", () => {
  for (const suffix of ["4uqstf", "4uqstf5x", "4UQSTF5", "x-4uqstf5", "4uqstf5\n"])
    expect(() => makePermissionId(1, suffix)).toThrow(
      expect.objectContaining({ code: "id_invalid", details: { suffix } }),
    );
  for (const hex of ["0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "x0123456789abcdef"])
    expect(() => makeRunId(hex)).toThrow(expect.objectContaining({ code: "id_invalid", details: { hex } }));
});

test.each<[(id: string) => unknown, string[]]>([
  [parseShutdownId, ["shutdown-x@a", "shutdown-1@", "shutdown-1@../x", "shutdown-1", "Shutdown-1@a", "shutdown-1@a@b"]],
  [parseShutdownId, ["xshutdown-1@a", "shutdown-1@a/b", "shutdown-1000000000000000@a", "shutdown-@a"]],
  [parsePlanApprovalId, ["plan_approval-1@a", "plan_approval-1@a@b@c", "plan_approval-x@a@b", "plan_approval-1@a@"]],
  [parsePlanApprovalId, ["xplan_approval-1@a@t", "plan_approval-1@a@t\nx", "plan_approval-1000000000000000@a@t"]],
  [parsePermissionId, ["perm-1-AAAAAAA", "perm-1-abc", "perm-x-4uqstf5", "perm-1-4uqstf5x", "xperm-1-4uqstf5"]],
  [parsePermissionId, ["perm-1-4uqstf", "perm-1000000000000000-4uqstf5"]],
  [parseAgentId, ["alice", "@", "a@", "@b", "a@b@c", "a/../b@t", "a@.."]],
  [parseRunId, ["a", "axyz", "b0123456789abcdef", "a../x-0123456789abcdef", "a0123456789ABCDEF"]],
  [parseRunId, ["a0123456789abcde", "a0123456789abcdef0", "xa0123456789abcdef", "a../x-0123456789abcdef"]],
])("%o takes none of %j, nor any random text apart from what it makes itself", (parse, texts) => {
  for (const text of ["", "NOMATCH", ...texts]) expect(parse(text), text).toBeUndefined();
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => parse(text) === undefined || text.includes("@")));
});

test("[ATP-MSG-104] the digest of a plan is the sha256 of its text in hex", () => {
  expect(planDigest("# Parser\n\n1. Read the grammar")).toBe(
    "3b9ede3c2c5e68735ae05b146e4cc41cc6801adaff1720518640678123dba289",
  );
});

test("[ATP-MSG-106] the digest is of the name, a NUL, and JSON with the keys in the order of their code units at every depth", () => {
  const text = 'Bash\0{"B":0,"_":[{"x":1,"y":2}],"a":{"c":2,"d":1},"b":1,"\u00e9":null}';
  const input = { b: 1, a: { d: 1, c: 2 }, "\u00e9": null, B: 0, _: [{ y: 2, x: 1 }] };
  expect(inputDigest("Bash", input)).toBe(createHash("sha256").update(text).digest("hex"));
});

test("a digest takes any value as it stands: null, arrays in arrays, and a key called __proto__", () => {
  expect(inputDigest("Bash", { a: null })).not.toBe(inputDigest("Bash", {}));
  expect(inputDigest("Bash", [[{ b: 1, a: 2 }]])).toBe(inputDigest("Bash", [[{ a: 2, b: 1 }]]));
  expect(inputDigest("Bash", JSON.parse('{"__proto__":{"a":1}}'))).not.toBe(inputDigest("Bash", {}));
  expect(inputDigest("Bash", { B: 1, a: 2 })).toBe(inputDigest("Bash", { a: 2, B: 1 }));
});

test("[ATP-MSG-106] the digest of an input does not depend on the order of its keys, and on everything else", () => {
  const digest = inputDigest("Bash", { command: "ls", env: { b: 1, a: [2, 1] } });
  expect(inputDigest("Bash", { env: { a: [2, 1], b: 1 }, command: "ls" })).toBe(digest);
  expect(inputDigest("bash", { command: "ls", env: { b: 1, a: [2, 1] } })).not.toBe(digest);
  expect(inputDigest("Bash", { command: "ls", env: { b: 1, a: [1, 2] } })).not.toBe(digest);
  expect(inputDigest("Bash", { command: "mkdir -p /tmp/delegate-test" })).toBe(
    "d60f5ec7ab38e5b41be6d48e1a30f2060f5c1fa7381d74378e12eb9a2e4f30af",
  );
});
