import { EventEmitter, once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { startOf } from "@troupe/process";
import { layoutOf } from "@troupe/protocol";
import { judgeBackend } from "@troupe/team/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import { type BackendRecord, openRecords } from "../records.ts";
import { thisProcess } from "../running.ts";
import { type Identity, teammateHere } from "./identity.ts";
import { type InProcessDeps, inProcessBackend } from "./in-process.ts";

/** A backend on a root of its own, which is gone after the test. */
function opened(open: InProcessDeps["open"], root = scratch(), warn: (message: string) => void = () => {}) {
  return inProcessBackend({ root, records: join(root, "troupe/backends"), open, warn });
}

function scratch(): string {
  const root = mkdtempSync(join(tmpdir(), "troupe-in-process-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Sessions that do nothing until they are told to, by the names of their teammates. */
function stage() {
  const live = new Map<string, { readonly team: string; crash(): Promise<void> }>();
  const open: InProcessDeps["open"] = async ({ team, name, prompt }) => {
    if (prompt === "never begin") throw new Error("its journal cannot be written");
    const crashed = new AbortController();
    const closing = new AbortController();
    const crash = async () => {
      const closed = once(closing.signal, "abort");
      crashed.abort();
      await awaited(`the end of ${name}`, closed);
    };
    live.set(`${name}@${team}`, { team, crash });
    return {
      async *attendTeam(signal) {
        yield "idle";
        const over = AbortSignal.any([signal, crashed.signal]);
        if (!over.aborted) await once(over, "abort");
        if (crashed.signal.aborted) throw new Error("it crashed");
      },
      async close() {
        live.delete(`${name}@${team}`);
        closing.abort();
      },
    };
  };
  return { live, open };
}

describe("as any backend", () => {
  judgeBackend({
    test,
    engine: async () => {
      const { live, open } = stage();
      const backend = opened(open);
      return {
        open: async () => backend,
        running: async (team) => [...live].filter(([, one]) => one.team === team).map(([id]) => id.split("@")[0] ?? ""),
        crash: async (team, name) => live.get(`${name}@${team}`)?.crash(),
        failing: { prompt: "never begin" },
        close: async () => {},
      };
    },
  });
});

const crew = { team: "crew", teamCreatedAt: 1 };
const specOf = (name: string) => ({
  ...crew,
  name,
  revision: "2026-02" as const,
  leadSessionId: "s",
  agentType: "worker",
  model: "m",
  prompt: "go",
  mode: "default" as const,
  planModeRequired: false,
  cwd: "/",
  environment: {},
  color: "blue",
});
const always = new AbortController().signal;

test("[RUNNER-02] [RUNNER-03] [ATP-BCK-010] code that runs for a teammate finds its id, name, team and directory of tasks, however interleaved", async () => {
  const seen = new Map<string, Set<Identity | undefined>>();
  const root = scratch();
  const open: InProcessDeps["open"] = async ({ name }) => ({
    async *attendTeam() {
      const mine = new Set<Identity | undefined>();
      seen.set(name, mine);
      for (let n = 0; n < 20; n += 1) {
        mine.add(teammateHere());
        for (let rounds = Math.random() * 4; rounds > 0; rounds -= 1) await nextRound();
        mine.add(await Promise.resolve().then(teammateHere));
        yield "working" as const;
      }
    },
    close: async () => void seen.get(name)?.add(teammateHere()),
  });
  const backend = opened(open, root);
  const all = await Promise.all(["ann", "bob"].map((name) => backend.spawn(specOf(name), always)));
  expect(teammateHere()).toBeUndefined();
  for (const one of all) for await (const _ of backend.observe(one, always));
  const taskDir = layoutOf(root).team("crew").tasks;
  for (const name of ["ann", "bob"])
    expect([...(seen.get(name) ?? [])]).toEqual([
      { agentId: `${name}@crew`, agentName: name, teamName: "crew", taskDir },
    ]);
});

test("[RUNNER-09] each teammate has its own copy of what its lead gave, a session of its own, and an end that is neither the lead's nor another's", async () => {
  const openings = new Map<string, Parameters<InProcessDeps["open"]>[0]>();
  const signals = new Map<string, AbortSignal>();
  const backend = opened(async (opening) => {
    openings.set(opening.name, opening);
    return {
      async *attendTeam(signal) {
        signals.set(opening.name, signal);
        yield "idle" as const;
        if (!signal.aborted) await once(signal, "abort");
      },
      close: async () => {},
    };
  });
  const lead = new AbortController();
  const given = { ...specOf("ann"), mode: "acceptEdits" as const, cwd: "/p", environment: { COLOUR: "green" } };
  const ann = await backend.spawn(given, lead.signal);
  const bob = await backend.spawn({ ...given, name: "bob" }, lead.signal);
  const [its, bobs] = [openings.get("ann"), openings.get("bob")];
  expect(its).toMatchObject(given);
  expect(its).not.toBe(given);
  expect(its?.sessionId).not.toBe(bobs?.sessionId);
  expect([its?.sessionId, bobs?.sessionId]).not.toContain(given.leadSessionId);
  const aborted = () => ["ann", "bob"].map((name) => signals.get(name)?.aborted);
  lead.abort();
  expect(aborted()).toEqual([false, false]);
  await backend.stop(ann, 1_000);
  expect(aborted()).toEqual([true, false]);
  await backend.stop(bob, 1_000);
});

test("an error or a conversation without a pause of one harms no other, and is told as its end", async () => {
  const turns = { flood: 0, quiet: 0 };
  const events = new EventEmitter();
  const backend = opened(async ({ name }) => ({
    async *attendTeam(signal) {
      if (name === "faulty") throw new Error("the model is gone");
      while (!signal.aborted) {
        if (name === "flood") turns.flood += 1;
        else {
          turns.quiet += 1;
          events.emit("quiet");
          for (let rounds = 0; rounds < 3; rounds += 1) await nextRound();
        }
        yield "working" as const;
      }
    },
    close: async () => {},
  }));
  const [flood, quiet, faulty] = [
    await backend.spawn(specOf("flood"), always),
    await backend.spawn(specOf("quiet"), always),
    await backend.spawn(specOf("faulty"), always),
  ];
  const last = [];
  for await (const one of backend.observe(faulty, always)) last.push(one);
  expect(last.at(-1)).toEqual({
    kind: "ended",
    reason: "exit",
    detail: "faulty ended with an error: the model is gone",
  });
  const before = turns.quiet;
  while (turns.quiet < before + 20) await awaited("a turn of quiet", once(events, "quiet"));
  expect(turns.flood).toBeGreaterThan(turns.quiet);
  for (const one of [flood, quiet]) await backend.stop(one, 1_000);
  expect(await backend.list(crew)).toEqual([]);
});

test("a teammate that does not end within its time is named, and a name is one teammate's at a time", async () => {
  const backend = opened(async () => ({
    async *attendTeam() {
      yield "working" as const;
      await new Promise(() => {});
    },
    close: async () => {},
  }));
  const one = await backend.spawn(specOf("ann"), always);
  await expect(backend.spawn(specOf("ann"), always)).rejects.toMatchObject({ code: "name_taken" });
  await expect(backend.stop(one, 20)).rejects.toThrow("ann has not ended within 20 ms");
  expect(await backend.list(crew)).toEqual([one]);
});

test("what a teammate does is seen as it notes it, each once, and its end last", async () => {
  const backend = opened(async ({ note }) => ({
    async *attendTeam() {
      for (const kind of ["working", "working", "needs_input", "working", "idle", "idle"] as const) {
        note(kind);
        yield kind;
      }
    },
    close: async () => note("working"),
  }));
  const one = await backend.spawn(specOf("ann"), always);
  const kinds: string[] = [];
  for await (const { kind } of backend.observe(one, always)) kinds.push(kind);
  expect(kinds.slice(kinds.indexOf("needs_input"))).toEqual(["needs_input", "working", "idle", "working", "ended"]);
});

describe("after a crash of the lead", () => {
  const quiet =
    (log: string[]): InProcessDeps["open"] =>
    async ({ name, sessionId, prompt, environment }) => {
      log.push(`${name} ${sessionId} ${prompt} ${JSON.stringify(environment)}`);
      return {
        async *attendTeam(signal) {
          yield "idle";
          if (!signal.aborted) await once(signal, "abort");
        },
        close: async () => {},
      };
    };

  test("members go on under the session they had, once, and what was begun for others is undone", async () => {
    const root = scratch();
    const [before, after]: [string[], string[]] = [[], []];
    const first = opened(quiet(before), root);
    for (const name of ["ann", "bob"]) await first.spawn({ ...specOf(name), prompt: `go, ${name}` }, always);
    const records = openRecords(join(root, "troupe/backends"));
    records.begin({ ...crew, backend: "in-process", name: "cut short", lead: await thisProcess() });

    const next = opened(quiet(after), root);
    const { adopted, removed } = await next.recover(crew, new Set(["ann", "cut short"]));
    expect([adopted.map(({ name }) => name), removed]).toEqual([["ann"], []]);
    expect(after).toEqual(before.slice(0, 1));
    expect(records.all().records.map(({ name }) => name)).toEqual(["ann"]);
    expect((await next.recover(crew, new Set(["ann"]))).adopted).toEqual(adopted);
    expect(after).toHaveLength(1);
    for (const one of adopted) await next.stop(one, 1_000);
    expect(records.all().records).toEqual([]);
    expect(readdirSync(join(root, "troupe/backends"))).toEqual([]);
  });

  test("what another lead runs that is alive is left alone", async () => {
    const root = scratch();
    const directory = join(root, "troupe/backends");
    await opened(quiet([]), root).spawn(specOf("ann"), always);
    const records = openRecords(directory);
    const [record] = records.all().records;
    const startedAt = (await startOf(process.ppid)) ?? "";
    records.amend(record as BackendRecord, { lead: { pid: process.ppid, startedAt } });
    const log: string[] = [];
    expect(await opened(quiet(log), root).recover(crew, new Set())).toEqual({ adopted: [], removed: [] });
    expect([log, records.all().records.length]).toEqual([[], 1]);
  });

  test("one that cannot go on is named, and its record stays for the next try", async () => {
    const root = scratch();
    await opened(quiet([]), root).spawn(specOf("ann"), always);
    const warned: string[] = [];
    const next = opened(
      async () => Promise.reject(new Error("its journal is torn")),
      root,
      (one) => warned.push(one),
    );
    expect((await next.recover(crew, new Set(["ann"]))).adopted).toEqual([]);
    expect(warned).toEqual(["ann of crew could not go on: its journal is torn"]);
    expect(openRecords(join(root, "troupe/backends")).all().records).toHaveLength(1);
  });
});
