import fc from "fast-check";
import { expect, test } from "vitest";
import { inputDigest, planDigest } from "./digests.ts";
import {
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

test.each<[(id: string) => unknown, string[]]>([
  [parseShutdownId, ["shutdown-x@a", "shutdown-1@", "shutdown-1@../x", "shutdown-1", "Shutdown-1@a", "shutdown-1@a@b"]],
  [parsePlanApprovalId, ["plan_approval-1@a", "plan_approval-1@a@b@c", "plan_approval-x@a@b", "plan_approval-1@a@"]],
  [parsePermissionId, ["perm-1-AAAAAAA", "perm-1-abc", "perm-x-4uqstf5", "perm-1-4uqstf5x"]],
  [parseAgentId, ["alice", "@", "a@", "@b", "a@b@c", "a/../b@t", "a@.."]],
  [parseRunId, ["a", "axyz", "b0123456789abcdef", "a../x-0123456789abcdef", "a0123456789ABCDEF"]],
])("%o takes none of %j, nor any random text apart from what it makes itself", (parse, texts) => {
  for (const text of ["", "NOMATCH", ...texts]) expect(parse(text), text).toBeUndefined();
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => parse(text) === undefined || text.includes("@")));
});

test("[ATP-MSG-104] the digest of a plan is the sha256 of its text in hex", () => {
  expect(planDigest("# Parser\n\n1. Read the grammar")).toBe(
    "3b9ede3c2c5e68735ae05b146e4cc41cc6801adaff1720518640678123dba289",
  );
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
