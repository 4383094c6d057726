import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  allChecks,
  type CallRecord,
  type CheckResult,
  openIsolation,
  type Proc,
  type Reply,
  type ReportLine,
  type Revision,
  revisions,
  runSuite,
  type Target,
  text,
} from "@troupe/conformance";
import { isTroupeError } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { expect, onTestFinished, test } from "vitest";
import { openMethods, type Params } from "./methods.ts";

const open = async (root: string) => openFileStore({ root });

/** The faults of a target, and what the suite sees of each; after a death every answer is wrong. */
const faults = ["fails", "lies", "breaks", "is late", "dies", "answers and dies"] as const;
type Fault = (typeof faults)[number];

const errorNames = ["notFound", "conflict", "blocked", "invalid", "locked", "refused", "absent", "unnamed"] as const;

/** Answers that match the schemas but describe nothing that exists. */
const lies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  validate: { valid: true, problems: [] },
  "team.create": { team: "another" },
  "team.get": { config: {} },
  "team.list": { teams: ["another"] },
  "member.add": { member: {} },
  "task.create": { id: "7", task: {} },
  "task.get": { task: {} },
  "task.list": { tasks: [{}] },
  "task.claim": { claimed: false, reason: "none" },
  "inbox.read": { messages: [{}] },
};

/** How the suite reports a target that crashed, hung or printed garbage. */
const brokenBy = (what: string): Error => Object.assign(new Error(what), { name: "TargetFault", evidence: {} });

interface Chance {
  /** Returns a whole number below this one, the same for the same words. */
  readonly below: (end: number, ...words: readonly string[]) => number;
}

const chanceOf = (seed: number): Chance => ({
  below(end, ...words) {
    let hash = seed >>> 0;
    for (const character of words.join(" ")) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
    return ((hash ^ (hash >>> 15)) >>> 0) % end;
  },
});

/** The fault and the call it happens at, unless both are random. */
interface Planned {
  readonly fault: Fault;
  readonly at: number;
}

/** Runs Troupe in this process with one fault per check, at one of its first calls. */
function faulty(revision: Revision, { below }: Chance, planned?: Planned): Target {
  const version = "0";
  const declare: Target["declare"] = async ({ root }) => {
    const { hello } = await openMethods({ root, revision, version, open });
    return { methods: [], ...((await hello?.({} as Params)) as object) } as never;
  };
  return {
    kind: "adapter",
    label: "faulty",
    declare,
    async start({ index, home, root, caseId, record }): Promise<Proc> {
      const methods = await openMethods({ root, revision, version, open });
      const fault = planned?.fault ?? (faults[below(faults.length, caseId, "fault")] as Fault);
      const at = planned?.at ?? below(5, caseId, "at", String(index));
      let calls = 0;
      let isDead = false;
      let isKilled = false;

      async function answer(method: string, params: Parameters<Proc["call"]>[1]): Promise<Reply> {
        const turn = calls;
        calls += 1;
        if (isDead) throw brokenBy("the process ended with exit code 1");
        if (turn === at) {
          isDead = fault === "dies" || fault === "answers and dies";
          if (fault === "breaks" || fault === "dies") throw brokenBy(`no JSON in the answer to ${method}`);
          if (fault === "is late") {
            await pause(20);
            throw brokenBy("no answer within 20 ms");
          }
          if (fault === "lies") return { outcome: "ok", result: lies[method] ?? {} };
          const name = errorNames[below(errorNames.length, caseId, "error")] ?? "unnamed";
          if (fault === "fails") return { outcome: "fail", error: { name, message: "no" } };
        }
        try {
          const result = (await methods[method]?.({ root, ...params } as Params)) as Record<string, unknown>;
          if (method !== "task.claim" || result["claimed"] !== false || result["reason"] === "none")
            return { outcome: "ok", result };
          return { outcome: "fail", error: { name: result["reason"] as "conflict", message: "not claimed" } };
        } catch (error) {
          if (!isTroupeError(error)) throw error;
          return { outcome: "fail", error: { name: "refused", message: error.message } };
        }
      }

      return {
        index,
        home,
        pid: () => undefined,
        async call(method, params) {
          const entry: CallRecord = { proc: index, op: method, args: params, call: performance.now(), outcome: "info" };
          record(entry);
          const reply: Reply = isKilled ? { outcome: "info" } : await answer(method, params);
          entry.ret = performance.now();
          entry.outcome = reply.outcome;
          entry.reply = reply.outcome === "ok" ? reply.result : reply.outcome === "fail" ? reply.error : undefined;
          return reply;
        },
        async kill() {
          isKilled = true;
        },
        pause() {},
        resume() {},
        async end() {
          if (isDead) throw brokenBy("it did not end in order after bye");
        },
      };
    },
  };
}

interface Asked {
  /** Each seed produces other faults. */
  readonly seed: number;
  readonly planned?: Planned;
  readonly only?: readonly string[];
}

/**
 * Runs the checks, and expects one result for each, no error of the suite, and no unhandled
 * rejection.
 */
async function expectFindings(revision: Revision, { seed, planned, only }: Asked): Promise<readonly CheckResult[]> {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), "faults-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const unhandled: unknown[] = [];
  const keep = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", keep);
  onTestFinished(() => void process.off("unhandledRejection", keep));
  const checks = allChecks().filter(({ id, isSlow }) => !isSlow && (!only || only.some((one) => id.startsWith(one))));
  const about = { checks, revision, seed, form: "quick", version: "0", directory, callLimitMs: 500 } as const;
  const isolation = openIsolation({ path: "", isCutOff: false });
  const target = faulty(revision, chanceOf(seed), planned);
  const lines: ReportLine[] = [];
  for await (const line of runSuite({ ...about, target, isolation, now: () => new Date() })) lines.push(line);
  const results = lines.filter((line): line is CheckResult => line.kind === "check");
  const broken = results.filter(({ verdict }) => verdict === "error");
  expect(broken.map(({ check, message, evidence }) => [check, message, evidence?.["stack"]])).toEqual([]);
  expect(unhandled).toEqual([]);
  expect(results.map(({ check }) => check).sort()).toEqual(checks.map(({ id }) => id).sort());
  expect(lines.at(-1)).toMatchObject({ kind: "footer", exitCode: results.some(isMissed) ? 1 : expect.any(Number) });
  expect(text(lines, { width: 100, hasColor: false })).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
  return results;
}

const isMissed = ({ verdict }: CheckResult): boolean => verdict === "fail";

/** The seeds to run; more with `FAULT_SEEDS=1-50 npm test -- faults`. */
const [from = 1, to = from] = (process.env["FAULT_SEEDS"] ?? "1").split("-").map(Number);
const seeds = Array.from({ length: to - from + 1 }, (_, at) => from + at);

test.each(seeds)(
  "whatever a target does wrong, each check ends with a finding, and the run with its exit code (faults of %d)",
  async (seed) => {
    const found = await Promise.all(revisions.map((revision) => expectFindings(revision, { seed })));
    for (const results of found) expect(results.filter(isMissed).length).toBeGreaterThan(50);
  },
  600_000,
);

test("an answer that is broken while the check waits for something else is a finding as well", async () => {
  const only = ["LCK-SETTLE", "CLAIM-RELEASE", "TSK-CLAIM", "LCK-WAIT", "LCK-FOREIGN"];
  const planned = [1, 2, 3].map((at): Planned => ({ fault: "breaks", at }));
  await Promise.all(planned.map((one) => expectFindings("2026-02", { seed: 1, planned: one, only })));
}, 600_000);
