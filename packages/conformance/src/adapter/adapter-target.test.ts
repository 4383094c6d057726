import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";
import { openIsolation } from "../run/isolation.ts";
import type { CallRecord, Proc } from "../target.ts";
import { adapterTarget } from "./adapter-target.ts";

interface Opened {
  readonly proc: Proc;
  readonly root: string;
  readonly home: string;
  readonly history: readonly CallRecord[];
}

const isolation = openIsolation({ path: process.env["PATH"] ?? "", isCutOff: true });

const test = base.extend<{ opened: Opened }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  opened: async ({}, use) => {
    const directory = mkdtempSync(join(realpathSync(tmpdir()), "conformance-adapter-"));
    const [root, home] = [join(directory, "root"), join(directory, "home")];
    for (const made of [root, home]) mkdirSync(made);
    const history: CallRecord[] = [];
    const cwd = join(import.meta.dirname, "../../miniatures");
    const record = (call: CallRecord) => history.push(call);
    const target = adapterTarget({ argv: ["node", "mirror.mjs"], cwd, isolation });
    const options = { index: 0, root, home, seed: 7, caseId: "X/a", limitMs: 10_000, env: { EXTRA: "1" }, record };
    const proc = await target.start({ ...options, revision: "2026-11" });
    await use({ proc, root, home, history });
    await proc.kill();
    rmSync(directory, { recursive: true });
  },
});

describe("a process of the target", () => {
  test("sees its root, an empty home and the search path, and nothing else of the caller", async ({ opened }) => {
    const reply = await opened.proc.call("team.get", { team: "t" });
    const { env, cwd } = (reply as unknown as { result: { config: { env: object; cwd: string } } }).result.config;
    const { root, home } = opened;
    expect(cwd).toBe(home);
    expect(env).toMatchObject({ AGENT_TEAMS_HOME: root, CLAUDE_CONFIG_DIR: root, HOME: home, EXTRA: "1" });
    expect(env).toMatchObject({ CONFORMANCE_SEED: "7", CONFORMANCE_REVISION: "2026-11" });
    const names = ["PATH", "HOME", "TMPDIR", "AGENT_TEAMS_HOME", "CLAUDE_CONFIG_DIR", "EXTRA"];
    expect(Object.keys(env).filter((name) => !names.includes(name) && !name.startsWith("CONFORMANCE_"))).toEqual([]);
  });

  test("a killed process leaves its call open, with an unknown outcome", async ({ opened: { proc, history } }) => {
    const reply = proc.call("task.claim", { team: "t", agent: "a" });
    const next = proc.call("team.get", { team: "t" });
    await expect.poll(() => history.length).toBe(2);
    await proc.kill();
    expect(await reply).toEqual({ outcome: "info" });
    expect(await next).toEqual({ outcome: "info" });
    expect(history[1]).toMatchObject({ op: "task.claim", outcome: "info", call: expect.any(Number) });
    expect(history[1]?.ret).toBeUndefined();
  });

  test("goes on after a pause, and its calls are stamped by the suite", async ({ opened: { proc, history } }) => {
    const reply = proc.call("task.claim", { team: "t", agent: "a" });
    await expect.poll(() => history.length).toBe(2);
    proc.pause();
    proc.resume();
    expect(await reply).toMatchObject({ outcome: "fail", error: { name: "blocked" } });
    const [, { call = 0, ret = 0 } = {}] = history;
    expect(ret).toBeGreaterThan(call);
  });

  test("a process that answers against the schema is at fault, with its answer as evidence", async ({
    opened: { proc },
  }) => {
    await expect(proc.call("task.get", { team: "t", id: "1" })).rejects.toMatchObject({
      name: "TargetFault",
      evidence: { actual: expect.stringContaining("a text") },
    });
  });

  test("a process is not blamed for a malformed call of the suite", async ({ opened: { proc } }) => {
    await expect(proc.call("task.get", { team: 5 })).rejects.toMatchObject({ name: "Error" });
    await expect(proc.call("task.sing", {})).rejects.toMatchObject({ name: "Error" });
  });

  test("ends in order when it is asked to", async ({ opened: { proc } }) => {
    await proc.end();
  });
});
