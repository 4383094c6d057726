import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRecords } from "@troupe/backends";
import type { Backend, Observation, Spawned } from "@troupe/team";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";
import { always, crew, failing, goneLead, type Machine, silent, specOf, testMachine } from "./tmux-machine.ts";

async function lastOf(backend: Backend, one: Spawned): Promise<Observation | undefined> {
  let last: Observation | undefined;
  const all = async () => {
    for await (const seen of backend.observe(one, always())) last = seen;
  };
  await awaited(`the end of ${one.name}`, all());
  return last;
}

const filesOf = (one: Machine) => (existsSync(join(one.dir, "records")) ? readdirSync(join(one.dir, "records")) : []);

describeWith("tmux", "a spawn that fails", () => {
  test.each([
    ["a teammate that says nothing", silent, {}, /did not begin to work: it said nothing for 0.5 s/],
    ["one that ends", failing, {}, /ended with exit code 3; its last words:\nI cannot do this$/],
    [
      "a program that is missing",
      {},
      { file: "/missing/program" },
      /exit code 127; its last words:\n.*\/missing\/program/,
    ],
    ["a directory that is missing", { cwd: "/missing/place" }, {}, /its last words:\n.*\/missing\/place/],
  ])("of %s nothing is left, and the reason is told", async (_, spec, launch, message) => {
    const one = testMachine();
    const users = one.users();
    const backend = one.open({
      environment: users.environment,
      readyMs: 500,
      ...(spec === silent ? {} : { readyMs: 20_000 }),
    });
    const { open } = one;
    const launching =
      "file" in launch
        ? open({ environment: users.environment, launch: () => ({ args: [], environment: {}, ...launch }) })
        : backend;
    await expect(launching.spawn(specOf("alice", spec), always())).rejects.toThrow(message);
    expect(one.panes("users", "#{pane_id}")).toEqual([users.pane]);
    expect(one.tmux("users", "show-options", "-w", "-t", users.pane)).toBe("");
    expect([await one.running("crew"), filesOf(one), one.warnings]).toEqual([[], [], []]);
  });

  test("without tmux it is said what to install", async () => {
    const one = testMachine();
    const backend = one.open({ environment: { PATH: one.dir } });
    await expect(backend.spawn(specOf("alice"), always())).rejects.toThrow(/install tmux 3\.2 or newer/);
    expect(filesOf(one)).toEqual([]);
  });

  test("a tmux that is too old is named with its version, and has no pane more than before", async () => {
    const one = testMachine();
    const users = one.users();
    const { PATH } = one.recorded();
    const shim = join(one.dir, "bin/tmux");
    writeFileSync(shim, readFileSync(shim, "utf8").replace(/^exec (.*)$/m, "$1 | sed 's/ 3\\.[0-9][a-z]* @/ 3.1c @/'"));
    const backend = one.open({ environment: { ...users.environment, PATH } });
    await expect(backend.spawn(specOf("alice"), always())).rejects.toThrow(/version 3\.1c.*tmux 3\.2 or newer/);
    expect(one.panes("users", "#{pane_id}")).toEqual([users.pane]);
  });

  test.each([
    [
      "a server that has ended",
      (one: Machine) => ({ TMUX: `${one.dir}/users,4194301,0` }),
      /no server running: TMUX names process 4194301/,
    ],
    [
      "a pane that its server has not",
      () => ({ TMUX_PANE: "%77" }),
      /can't find pane: %77; start in a pane of that server, or unset TMUX/,
    ],
  ])("where TMUX names %s, that is said and another display is not taken", async (_, more, message) => {
    const one = testMachine();
    const users = one.users();
    const backend = one.open({ environment: { ...users.environment, ...more(one) } });
    await expect(backend.spawn(specOf("alice"), always())).rejects.toThrow(message);
    expect(existsSync(join(one.dir, "own"))).toBe(false);
    expect([one.panes("users", "#{pane_id}"), filesOf(one)]).toEqual([[users.pane], []]);
  });

  test("another server at the socket of the lead's gets no pane", async () => {
    const one = testMachine();
    const users = one.users();
    const backend = one.open({ environment: { ...users.environment, TMUX: `${one.dir}/users,${process.pid},0` } });
    await expect(backend.spawn(specOf("alice"), always())).rejects.toThrow(/TMUX names the server/);
    expect([one.panes("users", "#{pane_id}"), filesOf(one)]).toEqual([[users.pane], []]);
  });

  test("a name that runs is refused, and free again once it has ended", async () => {
    const one = testMachine();
    const backend = one.open();
    await backend.spawn(specOf("alice"), always());
    await expect(backend.spawn(specOf("alice"), always())).rejects.toMatchObject({ code: "name_taken" });
    await one.crash("crew", "alice");
    await backend.spawn(specOf("alice"), always());
    expect(filesOf(one)).toHaveLength(1);
  });
});

describeWith("tmux", "the end of a teammate in a pane", () => {
  async function scene() {
    const one = testMachine();
    const users = one.users();
    const backend = one.open({ environment: users.environment });
    const alice = await backend.spawn(specOf("alice"), always());
    return { one, users, backend, alice };
  }

  test("a person closes its pane", async () => {
    const { one, users, backend, alice } = await scene();
    const end = lastOf(backend, alice);
    one.tmux("users", "kill-pane", "-t", alice.pane ?? "");
    expect(await end).toEqual({ kind: "ended", reason: "killed", detail: "the pane of alice was closed" });
    expect([await one.running("crew"), filesOf(one)]).toEqual([[], []]);
    await backend.spawn(specOf("bob"), always());
    expect(one.panes("users", "#{pane_id}")).toEqual([users.pane, "%2"]);
  });

  test("a person ends the server", async () => {
    const { one, backend, alice } = await scene();
    const end = lastOf(backend, alice);
    one.tmux("users", "kill-server");
    expect(await end).toEqual({ kind: "ended", reason: "lost", detail: "the tmux server of alice has ended" });
    expect([await one.running("crew"), filesOf(one)]).toEqual([[], []]);
    await backend.stop(alice, 1_000);
  });

  test("it is killed, and its pane goes too", async () => {
    const { one, users, backend, alice } = await scene();
    const end = lastOf(backend, alice);
    await one.crash("crew", "alice");
    expect(await end).toEqual({ kind: "ended", reason: "killed", detail: "alice was ended by signal 9" });
    expect(one.panes("users", "#{pane_id}")).toEqual([users.pane]);
  });

  test("[ATP-BCK-105] [TMUX-07] it ends by itself, and its exit code and last words are told to all who observe it", async () => {
    const { one, backend } = await scene();
    const go = join(one.dir, "go");
    const script = `: >"$1.ready"; until [ -e '${go}' ]; do sleep 0.01; done; echo so long; exit 0`;
    const leaving = one.open({
      launch: (spec) => ({
        file: "/bin/sh",
        args: ["-c", script, "x", join(one.dir, `crew.${spec.name}`)],
        environment: {},
      }),
    });
    const bob = await leaving.spawn(specOf("bob"), always());
    const ends = [lastOf(leaving, bob), lastOf(leaving, bob)];
    writeFileSync(go, "");
    const told = { kind: "ended", reason: "exit", detail: "bob ended with exit code 0; its last words:\nso long" };
    expect(await Promise.all(ends)).toEqual([told, told]);
    expect((await backend.list(crew)).map(({ name }) => name)).toEqual(["alice"]);
  });

  test("it is stopped with what it started, also where that ignores to be asked and left its session", async () => {
    const { one, users } = await scene();
    const file = join(one.dir, "crew.bob");
    const stubborn = `trap '' TERM HUP; setsid sh -c 'trap "" TERM HUP; echo $$ >"$1.fled"; while :; do sleep 1; done' x "$1" & until [ -s "$1.fled" ]; do :; done; : >"$1.ready"; while :; do sleep 1; done`;
    const backend = one.open({
      environment: users.environment,
      launch: () => ({
        file: "/bin/sh",
        args: ["-c", stubborn, "x", file],
        environment: { PATH: one.environment["PATH"] ?? "" },
      }),
    });
    const bob = await backend.spawn(specOf("bob"), always());
    const end = lastOf(backend, bob);
    await backend.stop(bob, 100);
    expect(one.isAlive(Number(readFileSync(`${file}.fled`, "utf8")))).toBe(false);
    expect(one.isAlive(bob.process?.pid ?? 0)).toBe(false);
    expect(one.panes("users", "#{pane_id}")).toEqual([users.pane, "%1"]);
    expect(await end).toMatchObject({ kind: "ended", reason: "shutdown" });
  });

  test("[ATP-BCK-009] what a person started in its pane instead is left alone", async () => {
    const { one, users, backend, alice } = await scene();
    one.tmux("users", "respawn-pane", "-k", "-t", alice.pane ?? "", "--", "sleep", "2000");
    await untilSeen("its end", async () => (await one.running("crew")).length === 0);
    await backend.stop(alice, 1_000);
    expect(one.panes("users", "#{pane_id} #{pane_start_command}")).toEqual([
      `${users.pane} sleep 1000`,
      "%1 sleep 2000",
    ]);
    expect(filesOf(one)).toEqual([]);
  });

  test("a pane of the same number in the server that came after is nobody's", async () => {
    const { one, backend, alice } = await scene();
    one.tmux("users", "kill-server");
    const again = await untilSeen("a new server", () => {
      try {
        return one.users();
      } catch {
        return undefined;
      }
    });
    one.tmux("users", "split-window", "-d", "-t", again.pane, "--", "sleep", "1000");
    await backend.stop(alice, 1_000);
    await backend.recover(crew, new Set());
    expect(one.panes("users", "#{pane_id}")).toEqual(["%0", alice.pane]);
  });

  test("a pane that another lead has, which is alive, is left alone", async () => {
    const one = testMachine();
    await one.open().spawn(specOf("alice"), always());
    const records = openRecords(join(one.dir, "records"));
    for (const record of records.all().records) records.amend(record, { lead: record.server?.process ?? goneLead });
    for (const members of [["alice"], []])
      expect(await one.open().recover(crew, new Set(members))).toEqual({ adopted: [], removed: [] });
    expect(await one.running("crew")).toEqual(["alice"]);
  });

  test("a process that was given the number of a teammate is not touched", async () => {
    const one = testMachine();
    const other = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
    onTestFinished(() => void other.kill("SIGKILL"));
    const records = openRecords(join(one.dir, "records"));
    const begun = records.begin({ ...crew, backend: "tmux", name: "alice", lead: goneLead });
    const stale = { pid: other.pid ?? 0, startedAt: "another start" };
    records.amend(begun, { process: stale, pane: "%0", isReady: true });
    const backend = one.open();
    expect(await backend.list(crew)).toEqual([]);
    await backend.stop({ backend: "tmux", team: "crew", name: "alice", pane: "%0", process: stale }, 1_000);
    expect(await backend.recover(crew, new Set(["alice"]))).toEqual({ adopted: [], removed: [] });
    expect(one.isAlive(stale.pid)).toBe(true);
    expect(filesOf(one)).toEqual([]);
  });
});
