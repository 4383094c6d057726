import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { yesTo } from "../../miniatures/agreeable.mjs";
import { inProcess } from "../../test/in-process.ts";
import { crashChecks } from "../crash/index.ts";
import { loadRequirements, revisions } from "../requirement.ts";
import { judge } from "../run/judge.ts";
import type { Reply } from "../target.ts";
import { concurrencyChecks } from "./index.ts";

const checks = [...concurrencyChecks, ...crashChecks];

const refuse = (): Reply => ({ outcome: "fail", error: { name: "refused", message: "no" } });
const agree = (method: string): Reply => ({ outcome: "ok", result: yesTo(method) });
const mkdirLocks = { lockStyle: "mkdir", lockPath: "<file>.lock", staleMs: 100, waitMs: 100 };

describe.each(revisions)("%s", (revision) => {
  test.each([
    ["refuses everything", refuse, {}],
    ["agrees to everything", agree, mkdirLocks],
  ] as const)(
    "no check of concurrency or crashes passes a target that %s, and none breaks on it",
    async (_, answer, quirks) => {
      const directory = mkdtempSync(join(tmpdir(), "hollow-"));
      const deps = {
        ...inProcess(answer, quirks),
        revision,
        seed: 1,
        isQuick: true,
        slowness: 1,
        callLimitMs: 1_000,
        directory,
      };
      const set = loadRequirements(revision);
      const found: string[] = [];
      try {
        for (const check of checks.filter(({ isSlow }) => !isSlow)) {
          const { verdict, message } = await judge(check, set, deps);
          if (!["fail", "warn", "na"].includes(verdict)) found.push(`${check.id}: ${verdict} ${message}`);
        }
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
      expect(found).toEqual([]);
    },
  );
});

test("every check is about clauses of one obligation, and says what it needs", () => {
  const rows = revisions.flatMap((revision) => loadRequirements(revision).rows);
  const obligationsOf = (ids: readonly string[]) =>
    new Set(ids.map((id) => rows.find((row) => row.id === id)?.obligation ?? `there is no ${id}`));
  const mixed = checks.filter(({ requirements }) => obligationsOf(requirements).size !== 1).map(({ id }) => id);
  expect(mixed).toEqual([]);
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
});
