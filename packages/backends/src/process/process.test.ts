import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startOf } from "@troupe/process";
import { judgeBackend } from "@troupe/team/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import {
  crew,
  endOf,
  goneLead,
  isAlive,
  nothingRuns,
  onStage,
  signal,
  specOf,
  stage,
} from "../../test/process-stage.ts";
import type { Launch, SpawnSpec } from "../launch.ts";
import { markVariable, openRecords } from "../records.ts";

const graceMs = 1_000;

describe("as any backend", () => {
  judgeBackend({
    test,
    engine: async () => {
      const { top, open, pidOf, close } = stage();
      return {
        open: async () => open({ readyMs: 400 }),
        async running(team) {
          const names = readdirSync(top).flatMap((name) => new RegExp(`^${team}\\.(.*)\\.pid$`).exec(name)?.[1] ?? []);
          const alive = await Promise.all(names.map((name) => isAlive(pidOf({ team, name }))));
          return names.filter((_, at) => alive[at]);
        },
        async crash(team, name) {
          const pid = pidOf({ team, name });
          process.kill(pid, "SIGKILL");
          await untilSeen("its end", async () => !(await isAlive(pid)));
        },
        failing: { model: "never" },
        close,
      };
    },
  });
});

describe("a process", () => {
  test("that ends without a word is noticed with its exit code and last lines, what it left is ended, and no file of it stays", async () => {
    const { directory, file, open } = onStage();
    const prompt =
      "setsid sh -c 'trap \"\" TERM; echo $$ > $PLACE/fled; (sleep 300) & wait' & until [ -s $PLACE/fled ]; do :; done; seq 1 100; printf 'it \\033[31mcould not go on'; exit 7";
    const backend = open();
    const one = await backend.spawn(specOf("ann", { prompt }), signal);
    const end = await awaited("the end", endOf(backend.observe(one, signal)), 10_000);
    expect(end).toMatchObject({ kind: "ended", reason: "exit" });
    const lines = (end as { detail: string }).detail.split("\n");
    expect([lines[0], lines.at(-1), lines.length]).toEqual(["ended with exit code 7", "it [31mcould not go on", 21]);
    expect(await isAlive(Number(readFileSync(join(file(one, "x"), "../fled"), "utf8")))).toBe(false);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("of which its lead's crash was survived is observed by the next lead, which is told of its end", async () => {
    const { open, pidOf } = onStage();
    await open().spawn(specOf("ann"), signal);
    const backend = open();
    const [one] = (await backend.recover(crew, new Set(["ann"]))).adopted;
    if (!one) throw new Error("ann was not taken over");
    const observing = backend.observe(one, signal);
    expect(await observing[Symbol.asyncIterator]().next()).toMatchObject({ value: { kind: "ready" } });
    process.kill(pidOf(one), "SIGKILL");
    expect(await endOf(backend.observe(one, signal))).toMatchObject({ kind: "ended", reason: "lost" });
  });

  test("that ignores being asked is killed with all below it when it is stopped, and was stopped", async () => {
    const { top, open } = onStage();
    const prompt =
      "trap '' TERM; (trap '' TERM; echo $$ > $PLACE/below; while :; do sleep 1; done) & while :; do sleep 1; done";
    const backend = open();
    const one = await backend.spawn(specOf("ann", { prompt }), signal);
    await untilSeen("what is below it", () => existsSync(join(top, "below")));
    const end = endOf(backend.observe(one, signal));
    await backend.stop(one, 200);
    expect(await end).toMatchObject({ kind: "ended", reason: "shutdown" });
    await nothingRuns(top);
  });

  test("that another lead has, which is alive, is left alone", async () => {
    const { directory, open, pidOf } = onStage();
    await open().spawn(specOf("ann"), signal);
    const records = openRecords(directory);
    const startedAt = (await startOf(process.ppid)) ?? "";
    for (const record of records.all().records) records.amend(record, { lead: { pid: process.ppid, startedAt } });
    for (const members of [["ann"], []])
      expect(await open().recover(crew, new Set(members))).toEqual({ adopted: [], removed: [] });
    expect(await isAlive(pidOf(specOf("ann")))).toBe(true);
  });

  test("whose id was given to another is nobody's: the other is not touched, and the record goes", async () => {
    const { directory, open } = onStage();
    const other = spawn("sleep", ["300"], { stdio: "ignore" });
    onTestFinished(() => void other.kill("SIGKILL"));
    const records = openRecords(directory);
    const begun = records.begin({ ...crew, backend: "process", name: "ann", lead: goneLead });
    const stale = { pid: other.pid ?? 0, startedAt: "another start" };
    records.amend(begun, { process: stale, isReady: true });
    const backend = open();
    const one = { backend: "process", team: "crew", name: "ann", process: stale };
    expect(await backend.list(crew)).toEqual([]);
    expect(await endOf(backend.observe(one, signal))).toMatchObject({ kind: "ended", reason: "lost" });
    await backend.stop(one, graceMs);
    expect(await backend.recover(crew, new Set(["ann"]))).toEqual({ adopted: [], removed: [] });
    expect(await isAlive(other.pid ?? 0)).toBe(true);
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("a refusal names its reason, and nothing is left of the spawn", () => {
  test.each<[string, Partial<SpawnSpec>, Partial<Launch>, RegExp]>([
    ["a directory that is missing", { cwd: "/missing" }, {}, /"\/missing" is no directory/],
    [
      "a program that is missing",
      {},
      { file: "/missing" },
      /did not become ready: ended with exit code 127\n.*\/missing/,
    ],
    ["a program without a path", {}, { file: "sh" }, /"sh": make it an absolute path/],
    ["an argument that no program can have", {}, { args: ["\0"] }, /make it free of NUL/],
    ["arguments that are too many", {}, { args: ["x".repeat(1 << 22)] }, /could not be started: .*E2BIG/],
    ["one that does not become ready", { model: "never" }, {}, /was not ready within 400 ms/],
    ["one that ends before", {}, { args: ["-c", "echo no key; exit 3"] }, /ended with exit code 3\nno key$/],
  ])("%s", async (_, spec, given, reason) => {
    const { top, directory, launch, open } = onStage();
    const readyMs = spec.model === "never" ? 400 : 60_000;
    const backend = open({ readyMs, launch: (one: SpawnSpec) => ({ ...launch(one), ...given }) });
    await expect(backend.spawn(specOf("ann", spec), signal)).rejects.toThrow(reason);
    expect(existsSync(directory) ? readdirSync(directory) : []).toEqual([]);
    await nothingRuns(top);
  });

  test("a teammate that runs already, in this process or since an earlier lead", async () => {
    const { open } = onStage();
    await open().spawn(specOf("ann"), signal);
    await expect(open().spawn(specOf("ann"), signal)).rejects.toThrow(
      /^ann of crew runs already as process \d+: stop it/,
    );
  });
});

test.each([
  ["process", 2],
  ["readiness", 3],
])("a spawn that cannot write down the %s of its teammate fails, and ends what it began", async (_, nth) => {
  const { top, directory, launch, open, file } = onStage();
  let asked = 0;
  const lose = () => {
    asked += 1;
    // What runs already may still be making files there.
    if (asked === nth) rmSync(directory, { recursive: true, maxRetries: 20, retryDelay: 5 });
  };
  const backend = open({
    launch(spec) {
      lose();
      return launch(spec);
    },
    async ready(spec) {
      await untilSeen("ann", () => existsSync(file(spec, "ready")));
      lose();
    },
  });
  await expect(backend.spawn(specOf("ann"), signal)).rejects.toThrow("cannot be written");
  await nothingRuns(top);
  expect(existsSync(file({ team: "crew", name: "ann" }, "pid"))).toBe(nth === 3);
});

test("a record that is not to be trusted is told once, and nothing it names is touched", async () => {
  const { directory, warned, open } = onStage();
  const records = openRecords(directory);
  const { mark } = records.begin({ ...crew, backend: "process", name: "ann", lead: goneLead });
  rmSync(join(directory, `${mark}.json`));
  mkdirSync(join(directory, `${mark}.json`));
  const backend = open();
  for (let looks = 0; looks < 2; looks += 1) expect(await backend.list(crew)).toEqual([]);
  expect(warned).toEqual([expect.stringContaining(`${mark}.json is no record`)]);
});

const hostile = [
  ..."$(touch ran)|`touch ran`|; touch ran|& touch ran|\n touch ran|' touch ran '|\" touch ran \"|#{ran}|#(touch ran)".split(
    "|",
  ),
  ..."#[fg=red]|-c|--|-x=$(touch ran)|~|*|$HOME|\\|a\tb|\u001b]0;x\u0007|é\u202e||  |!!|%s%n".split("|"),
  ..."<(touch ran)|>ran|{a,b}|[a-z]|$'\\x41'|go|| touch ran".split("|"),
];

test("[ATP-BCK-007] [ATP-BCK-012] arguments, variables and directories reach the program as they are, whatever they look like, and nothing runs", async () => {
  const { top, open } = onStage();
  const said = join(top, "said");
  const variables = Object.fromEntries(hostile.map((text, at) => [`V${at}`, text]));
  const script = `
    const { readFileSync, writeFileSync, renameSync } = require("node:fs");
    const given = Object.entries(process.env).filter(([name]) => /^V\\d/.test(name));
    const all = [process.argv.slice(1), Object.fromEntries(given), process.cwd(), readFileSync(0, "utf8")];
    writeFileSync(process.env.SAID + ".new", JSON.stringify(all));
    renameSync(process.env.SAID + ".new", process.env.SAID);
    setInterval(() => {}, 60000);`;
  const backend = open({
    launch: (): Launch => ({
      file: process.execPath,
      args: ["-e", script, "--", ...hostile],
      environment: { ...variables, SAID: said, PLACE: top },
    }),
    ready: async () => void (await untilSeen("what it was given", () => existsSync(said))),
  });
  for (const name of ["$(touch ran)", "`touch ran`; touch ran", "-c", "#(touch ran)#{x}\n'\""]) {
    const cwd = join(top, name);
    mkdirSync(cwd);
    const one = await backend.spawn(specOf("$(id)`id`;'&", { cwd }), signal);
    expect(JSON.parse(readFileSync(said, "utf8"))).toEqual([hostile, variables, cwd, ""]);
    await backend.stop(one, 0);
    rmSync(said);
  }
  expect(readdirSync(top, { recursive: true }).filter((path) => /(^|\/)ran$/.test(`${path}`))).toEqual([]);
});

test("the mark by which processes are found is given to all that a teammate starts, and no variable of its lead is", async () => {
  const { top, open } = onStage();
  process.env["OF_THE_LEAD"] = "x";
  onTestFinished(() => void delete process.env["OF_THE_LEAD"]);
  const prompt = "sh -c 'env' > $PLACE/env; touch $PLACE/done; sleep 300";
  const backend = open();
  const one = await backend.spawn(specOf("ann", { prompt }), signal);
  await untilSeen("its variables", () => existsSync(join(top, "done")));
  const text = readFileSync(join(top, "env"), "utf8");
  expect(text).toMatch(new RegExp(`^${markVariable}=[0-9a-f]{16}$`, "m"));
  expect(text).not.toContain("OF_THE_LEAD");
  await backend.stop(one, 0);
});
