import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adapterTarget } from "../adapter/adapter-target.ts";
import type { Check, CheckContext } from "../check.ts";
import { checkFailure } from "../fault.ts";
import type { CheckResult } from "../result.ts";
import { openIsolation } from "./isolation.ts";
import { runSuite } from "./run-suite.ts";

const isolation = openIsolation({ path: process.env["PATH"] ?? "", isCutOff: false });

/** What each check does to its process, and the process and calls each of them had. */
async function processesOf(miniature: string, form: "quick" | "full", works: readonly Check["run"][]) {
  const seen: { pid: number | undefined; root: string; ops: readonly string[] }[] = [];
  const checks = works.map((work, index): Check => {
    const about = { id: `X-${index}/a`, title: "", requirements: ["ATP-TSK-042"], revisions: ["2026-02"] } as const;
    return {
      ...about,
      level: "L2",
      needs: { methods: ["team.list"] },
      async run(context) {
        const [proc] = await context.start(1);
        const one = { pid: proc?.pid(), root: context.root };
        try {
          return await work(context);
        } finally {
          seen.push({ ...one, ops: context.history.map(({ op }) => op) });
        }
      },
    };
  });
  const argv = ["node", `miniatures/${miniature}.mjs`];
  const target = adapterTarget({ argv, cwd: join(import.meta.dirname, "../.."), isolation });
  const declared: typeof target = {
    ...target,
    declare: async (options) => ({ ...(await target.declare(options)), levels: ["L2"] }),
  };
  const about = { target: declared, isolation, checks, revision: "2026-02", seed: 1, form, version: "0" } as const;
  const results: CheckResult[] = [];
  for await (const line of runSuite({ ...about, directory: tmpdir(), now: () => new Date() }))
    if (line.kind === "check") results.push(line);
  return { seen, results };
}

const nothing = async () => undefined;
const begin = async (context: CheckContext) => (await context.start(1))[0];
const sizeOf = (pids: readonly { pid: number | undefined }[]) => new Set(pids.map(({ pid }) => pid)).size;

test("in the quick form a process that a check is done with goes on to the next, on another root", async () => {
  const { seen, results } = await processesOf("mirror", "quick", [nothing, nothing]);
  expect(results.map(({ verdict }) => verdict)).toEqual(["pass", "pass"]);
  expect(sizeOf(seen)).toBe(1);
  expect(seen.map(({ ops }) => ops)).toEqual([["hello"], ["reset"]]);
  expect(seen[0]?.root).not.toBe(seen[1]?.root);
});

test("in the full form every check has new processes", async () => {
  expect(sizeOf((await processesOf("mirror", "full", [nothing, nothing])).seen)).toBe(2);
});

const blemishes: readonly (readonly [string, Check["run"]])[] = [
  ["was killed", async (context) => (await begin(context))?.kill().then(() => undefined)],
  [
    "was paused",
    async (context) => {
      const proc = await begin(context);
      proc?.pause();
      proc?.resume();
      return undefined;
    },
  ],
  ["was started with variables of its own", async (context) => void (await context.start(1, { EXTRA: "1" }))],
  [
    "has a call under way",
    async (context) => void (await begin(context))?.call("task.claim", { team: "t", agent: "a" }).catch(() => {}),
  ],
];

test.each(blemishes)("a process that %s does not", async (_, blemish) => {
  const another = async (context: CheckContext) => void (await begin(context));
  const { seen, results } = await processesOf("mirror", "quick", [blemish, another]);
  expect(results.map(({ verdict }) => verdict)).toEqual(["pass", "pass"]);
  expect(seen[1]?.ops).toEqual(["reset", "hello"]);
});

test("no process of a check that failed goes on", async () => {
  const fails = async () => {
    throw checkFailure("no", {});
  };
  const { seen, results } = await processesOf("mirror", "quick", [fails, nothing]);
  expect(results.map(({ verdict }) => verdict)).toEqual(["fail", "pass"]);
  expect(sizeOf(seen)).toBe(2);
});

test("a target that does not turn to another root is started anew, and that is no fault", async () => {
  const { seen, results } = await processesOf("stays", "quick", [nothing, nothing]);
  expect(results.map(({ verdict }) => verdict)).toEqual(["pass", "pass"]);
  expect(sizeOf(seen)).toBe(2);
});
