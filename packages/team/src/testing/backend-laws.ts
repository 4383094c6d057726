import assert from "node:assert/strict";
import { type DefineTest, judge, type Law } from "@troupe/store/testing";
import type { Backend, Observation, Spawned, TeammateSpec, TeamRef } from "../backend.ts";

/** A backend that is judged, with a machine of its own. */
export interface BackendEngine {
  /** The backend, as a process of the lead after the last one opens it. */
  open(): Promise<Backend>;
  /** Names of the teammates of a team that run, looked at from outside. */
  running(team: string): Promise<readonly string[]>;
  /** Ends a teammate from outside. */
  crash(team: string, name: string): Promise<void>;
  /** What to start a teammate with that begins and never becomes ready. */
  readonly failing: Partial<TeammateSpec>;
  close(): Promise<void>;
}

const refOf = (team: string): TeamRef => ({ team, teamCreatedAt: 1_770_000_000_000 });
const crew = refOf("crew");

/** What a teammate is started with. */
const specOf = (name: string, team = "crew") => ({
  ...refOf(team),
  name,
  revision: "2026-11" as const,
  leadSessionId: "b7f5edcc-898c-4e36-983f-1c2e8fec7d28",
  agentType: "general-purpose",
  model: "m",
  prompt: "go",
  mode: "default" as const,
  planModeRequired: false,
  cwd: process.cwd(),
  environment: {},
  color: "blue",
});

const always = () => new AbortController().signal;
const graceMs = 1_000;
const namesOf = (all: readonly Spawned[]) => all.map(({ name }) => name).sort();

async function lastOf(all: AsyncIterable<Observation>): Promise<Observation | undefined> {
  let last: Observation | undefined;
  for await (const one of all) last = one;
  return last;
}

/** What any backend must keep to. */
export const backendLaws: readonly Law<BackendEngine>[] = [
  {
    name: "a teammate that was spawned runs and is listed, for its own team alone",
    async holds({ open, running }) {
      const backend = await open();
      const one = await backend.spawn(specOf("alice"), always());
      assert.deepEqual([one.backend, one.team, one.name], [backend.name, "crew", "alice"]);
      await backend.spawn(specOf("alice", "other"), always());
      await backend.spawn(specOf("bob"), always());
      assert.deepEqual([...(await running("crew"))].sort(), ["alice", "bob"]);
      assert.deepEqual(namesOf(await backend.list(crew)), ["alice", "bob"]);
      assert.deepEqual(namesOf(await backend.list(refOf("other"))), ["alice"]);
      assert.deepEqual(await backend.list(refOf("nobody's")), []);
    },
  },
  {
    name: "of a teammate that does not become ready, or is given up before, nothing is left",
    async holds({ open, running, failing }) {
      const backend = await open();
      await assert.rejects(backend.spawn({ ...specOf("alice"), ...failing }, always()));
      await assert.rejects(backend.spawn(specOf("bob"), AbortSignal.abort()));
      const giving = new AbortController();
      const spawning = backend.spawn({ ...specOf("carol"), ...failing }, giving.signal);
      giving.abort();
      await assert.rejects(spawning);
      assert.deepEqual(await running("crew"), []);
      assert.deepEqual(await backend.list(crew), []);
    },
  },
  {
    name: "when a stop resolves nothing of the teammate runs, and the others run on; a second stop is no error",
    async holds({ open, running }) {
      const backend = await open();
      const [alice] = [await backend.spawn(specOf("alice"), always()), await backend.spawn(specOf("bob"), always())];
      await backend.stop(alice, graceMs);
      assert.deepEqual(await running("crew"), ["bob"]);
      assert.deepEqual(namesOf(await backend.list(crew)), ["bob"]);
      await backend.stop(alice, graceMs);
      assert.deepEqual(await running("crew"), ["bob"]);
    },
  },
  {
    name: "what is seen of a teammate ends with its end, which is told last, however it ended",
    async holds({ open, crash }) {
      const backend = await open();
      const alice = await backend.spawn(specOf("alice"), always());
      const bob = await backend.spawn(specOf("bob"), always());
      const ends = [lastOf(backend.observe(alice, always())), lastOf(backend.observe(bob, always()))];
      await backend.stop(alice, graceMs);
      await crash("crew", "bob");
      for (const end of await Promise.all(ends)) assert.equal(end?.kind, "ended");
      assert.equal((await lastOf(backend.observe(bob, always())))?.kind, "ended");
      assert.deepEqual(await backend.list(crew), []);
    },
  },
  {
    name: "to observe ends with the signal, and ends nothing else",
    async holds({ open, running }) {
      const backend = await open();
      const alice = await backend.spawn(specOf("alice"), always());
      const over = new AbortController();
      const last = lastOf(backend.observe(alice, over.signal));
      over.abort();
      assert.notEqual((await last)?.kind, "ended");
      assert.deepEqual(await running("crew"), ["alice"]);
    },
  },
  {
    name: "after a crash of its lead what has a member is taken over, what has none is ended, and what has ended is neither",
    async holds({ open, running, crash }) {
      const before = await open();
      for (const name of ["alice", "bob", "carol"]) await before.spawn(specOf(name), always());
      await before.spawn(specOf("alice", "other"), always());
      await crash("crew", "bob");
      const backend = await open();
      const { adopted, removed } = await backend.recover(crew, new Set(["alice", "bob", "dave"]));
      assert.deepEqual([namesOf(adopted), namesOf(removed)], [["alice"], ["carol"]]);
      assert.deepEqual(await running("crew"), ["alice"]);
      assert.deepEqual(await running("other"), ["alice"]);
      const again = await backend.recover(crew, new Set(["alice"]));
      assert.deepEqual([namesOf(again.adopted), again.removed], [["alice"], []]);
      for (const one of adopted) await backend.stop(one, graceMs);
      assert.deepEqual(await running("crew"), []);
    },
  },
  {
    name: "a later team of the same name lists and takes over nobody of the earlier one: who runs on is ended",
    async holds({ open, running }) {
      await (await open()).spawn(specOf("alice"), always());
      const later = { ...crew, teamCreatedAt: crew.teamCreatedAt + 1 };
      const backend = await open();
      assert.deepEqual(await backend.list(later), []);
      const { adopted, removed } = await backend.recover(later, new Set(["alice"]));
      assert.deepEqual([namesOf(adopted), namesOf(removed)], [[], ["alice"]]);
      assert.deepEqual(await running("crew"), []);
      await backend.spawn({ ...specOf("alice"), ...later }, always());
      assert.deepEqual(namesOf(await backend.list(later)), ["alice"]);
    },
  },
];

export interface JudgeBackendDeps {
  readonly test: DefineTest;
  /** A backend on a machine where nothing runs yet; called once a test. */
  readonly engine: () => Promise<BackendEngine>;
}

/** A test for every law. */
export function judgeBackend({ test, engine }: JudgeBackendDeps): void {
  for (const law of backendLaws) test(law.name, async () => judge(law, await engine()));
}
