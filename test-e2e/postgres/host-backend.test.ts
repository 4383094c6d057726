import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hostBackend, openCheckouts, serveHost, specOf } from "@troupe/backends/host";
import { admitHost, migratePostgresStore, openHostDesk, openPostgresStore } from "@troupe/store-postgres";
import { type Backend, createSpawner } from "@troupe/team";
import { backendDouble, judgeBackend } from "@troupe/team/testing";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { memory } from "../../scripts/memory.ts";
import type { Server } from "./server.ts";
import { describeWithServer } from "./suite.ts";

const lead = { createdAt: 1_770_000_000_000, leadModel: "m", cwd: "/p" };
const warn = (message: string) => expect.unreachable(message);

/** Two teams on a database, and a host of this process whose teammates run in no process. */
async function stage(server: Server) {
  const place = await server.newPlace();
  await migratePostgresStore(place);
  const store = await openPostgresStore(place);
  for (const name of ["crew", "other"]) await store.createTeam({ ...lead, name, leadSessionId: name });
  const { role, url } = await place.newRole();
  await admitHost({ url: place.url, role, labels: [] });
  const desk = await openHostDesk({ url });
  const directory = mkdtempSync(join(memory, "host-laws-"));
  const empty = join(directory, "empty");
  mkdirSync(empty);
  const over = new AbortController();
  const machine = backendDouble();
  const backend = await machine.open();
  const serve = () =>
    serveHost(
      {
        desk,
        offer: { slots: 8, labels: [], leaseMs: 60_000 },
        checkouts: openCheckouts({ directory, repositories: new Map(), environment: process.env, warn }),
        launching: async (asked, { cwd }) => ({
          backend,
          spec: { ...specOf(asked), team: asked.team, name: asked.member, cwd, environment: {} },
        }),
        graceMs: 1_000,
        tell: () => {},
      },
      over.signal,
    );
  const open = (takenMs = 60_000, labels: readonly string[] = []): Backend => {
    const spawns = async () => store.spawns;
    const hosts = hostBackend({ name: "host", spawns, labels, takenMs, environment: process.env, warn });
    // The directory of the tests is a repository, which this host does not work on.
    return { ...hosts, spawn: (spec, signal) => hosts.spawn({ ...spec, cwd: empty }, signal) };
  };
  const ended = async (team: string, name: string) =>
    (await store.spawns.open(team)).every(({ member }) => member !== name);
  return {
    open,
    serve,
    machine,
    store,
    /** Until its host has said so: that is all a lead elsewhere can see. */
    crash: async (team: string, name: string) => {
      await machine.crash(team, name);
      await untilSeen("its end", () => ended(team, name));
    },
    close: async (serving?: Promise<void>) => {
      over.abort();
      await serving;
      for (const one of [desk, store]) await one.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

await describeWithServer("teammates on hosts, as any backend's", (server) => {
  judgeBackend({
    test,
    engine: async () => {
      const { open, serve, machine, crash, close } = await stage(server());
      const serving = serve();
      const { running, failing } = machine;
      return { open: async () => open(), running, failing, crash, close: () => close(serving) };
    },
  });
});

await describeWithServer("where no host answers", (server) => {
  const spec = {
    team: "crew",
    teamCreatedAt: lead.createdAt,
    name: "ann",
    revision: "2026-02",
    leadSessionId: "one",
    agentType: "a",
    model: "m",
    prompt: "go",
    mode: "default",
    planModeRequired: false,
    cwd: "/",
    environment: {},
    color: "blue",
  } as const;

  test("a spawn that no host takes in time says so with the command that shows them, and is asked for no more", async () => {
    const { open, store, close } = await stage(server());
    onTestFinished(() => close());
    const spawned = open(50, ["gpu"]).spawn(spec, new AbortController().signal);
    await expect(spawned).rejects.toMatchObject({
      code: "teammate_failed",
      message:
        "ann of crew did not become ready: no host with gpu has taken it within 0.05 s: troupe host list shows those that there are, with slots and labels",
    });
    expect(await store.spawns.open("crew")).toEqual([]);
  });

  test("a lead that goes on with what others have added leaves what another terminal still waits for", async () => {
    const { open, store, close } = await stage(server());
    const over = new AbortController();
    onTestFinished(() => close());
    const team = await store.openTeam("crew");
    const self = await team?.as("team-lead");
    if (!team || !self) throw new Error("the team of the stage is gone");
    await team.join({ name: "ann", agentType: "a", model: "m", prompt: "go", joinedAt: 1, cwd: "/p" });
    const waiting = open().spawn(spec, over.signal);
    waiting.catch(() => {});
    const asked = async () => (await store.spawns.open("crew")).map(({ member, stopMs }) => [member, stopMs]);
    await untilSeen("what is asked for", async () => (await asked()).length > 0);
    const spawner = createSpawner({ team, self, backends: [open()], now: () => new Date(), graceMs: 10 });
    await spawner.sweep("host");
    expect(await asked()).toEqual([["ann", null]]);
    over.abort();
    await expect(waiting).rejects.toThrow();
  });
});
