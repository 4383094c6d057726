import { once } from "node:events";
import { TroupeError } from "@troupe/protocol";
import { backendDouble } from "@troupe/team/testing";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import type { Asked } from "./asked.ts";
import type { Checkout } from "./checkouts.ts";
import type { Desk, HostDeps, HostEvent, HostReport } from "./host.ts";
import { serveHost } from "./serve.ts";

const asked = (member: string, more: Partial<Asked> = {}): Asked => ({
  id: member,
  team: "crew",
  member,
  spec: {},
  state: "wanted",
  host: null,
  epoch: null,
  starts: 1,
  isHeard: true,
  heardMs: 0,
  stopMs: null,
  reason: null,
  detail: null,
  result: null,
  ...more,
});
const away = new TroupeError("store_unavailable", "the database cannot be reached");
const refused = (isLate: boolean) => new TroupeError("store_refused", "no", { isLate });
const nothing = async () => undefined;

/** A store in memory, whose calls a test can have go otherwise, and a host that asks it. */
function scene(leaseMs = 60_000) {
  const rows = new Map<string, Asked>();
  const reports: (readonly [start: string, HostReport])[] = [];
  const told: HostEvent[] = [];
  const machine = backendDouble();
  const signals = new Set<AbortController>();
  const wake = () => {
    for (const hint of signals) hint.abort();
    signals.clear();
  };
  const desk: Desk = {
    enter: async () => {},
    renew: async () => {},
    async take() {
      const [row] = [...rows.values()].filter(({ state }) => state === "wanted");
      if (row) rows.set(row.member, { ...row, state: "taken", epoch: `${row.member}-${row.starts}` });
      return row;
    },
    mine: async () => [...rows.values()].filter(({ state }) => state === "taken" || state === "running"),
    async report(start, said) {
      const row = [...rows.values()].find(({ epoch }) => epoch === start);
      if (!row) throw refused(false);
      reports.push([start, said]);
      rows.set(row.member, { ...row, state: said.state, ...(said.state === "wanted" && { epoch: null }) });
    },
    listen() {
      let isFirst = true;
      return {
        async next(signal) {
          const hint = new AbortController();
          signals.add(hint);
          if (!isFirst && signal?.aborted !== true)
            await once(AbortSignal.any([hint.signal, ...(signal ? [signal] : [])]), "abort");
          isFirst = false;
          return signal?.aborted !== true;
        },
        end: left.open,
      };
    },
  };
  const checkouts = new Map<string, Partial<Checkout>>();
  const over = new AbortController();
  const left = held(undefined);
  const deps: HostDeps = {
    desk,
    offer: { slots: 8, labels: [], leaseMs },
    checkouts: async ({ member }) => ({ cwd: "/", push: nothing, end: nothing, ...checkouts.get(member) }),
    launching: async ({ member }) => ({
      backend: await machine.open(),
      spec: { team: "crew", teamCreatedAt: 1, name: member, prompt: "go" } as never,
    }),
    graceMs: 0,
    tell: (event) => told.push(event),
  };
  return {
    rows,
    told,
    desk,
    checkouts,
    machine,
    wake,
    add: (member: string, more?: Partial<Asked>) => rows.set(member, asked(member, more)),
    /** Resolves once what runs is told to end. */
    leave() {
      over.abort();
      return left.pass();
    },
    serve() {
      const serving = serveHost(deps, over.signal);
      serving.catch(() => {});
      onTestFinished(async () => {
        over.abort();
        await serving.catch(() => {});
      });
      return serving;
    },
    until: (event: HostEvent["event"], member?: string) =>
      untilSeen(`${event} ${member ?? ""}`, () => told.find((one) => one.event === event && one.member === member)),
    running: (member: string) =>
      untilSeen(
        `${member} at work`,
        () => reports.some(([, said]) => said.state === "running") && rows.get(member)?.state === "running",
      ),
  };
}

/** What a test holds up until it lets it go. */
function held<T>(result: T) {
  let open = (_: T) => {};
  const passing = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { pass: () => passing, open: () => open(result) };
}

test("a teammate that ends while the host hears what is its own is not started again", async () => {
  const { add, rows, desk, serve, running, until, machine, wake, told } = scene();
  add("ann");
  void serve();
  await running("ann");
  const stale = [...rows.values()];
  const [listed, looked] = [held(stale), held(undefined)];
  const { mine } = desk;
  let looks = 0;
  Object.assign(desk, {
    mine: () => {
      looks += 1;
      if (looks === 1) return listed.pass();
      looked.open();
      return mine();
    },
  });
  wake();
  await untilSeen("the look", () => looks === 1);
  await machine.crash("crew", "ann");
  await until("ended", "ann");
  listed.open();
  await untilSeen("the next look", () => {
    wake();
    return looks > 2;
  });
  await awaited("the next look", looked.pass());
  expect(told.filter(({ event }) => event === "started")).toHaveLength(1);
});

test("a push that does not end holds up neither a request to stop nor the next teammate", async () => {
  const { add, rows, checkouts, serve, running, until, wake } = scene();
  const push = held(undefined);
  checkouts.set("ann", { push: push.pass });
  add("ann");
  void serve();
  await running("ann");
  wake();
  add("bob");
  wake();
  await running("bob");
  rows.set("ann", { ...(rows.get("ann") as Asked), stopMs: 0 });
  wake();
  await until("ended", "ann");
  expect(rows.get("ann")?.state).toBe("ended");
});

test("what an earlier process left is given back while the lease is kept, and another host that has it by then ends nobody", async () => {
  const { add, rows, checkouts, serve, running, until, desk, told } = scene(40);
  const [renewed, end] = [held(undefined), held(undefined)];
  add("ann", { state: "running", epoch: "1" });
  add("bob", { state: "running", epoch: "2" });
  add("cid");
  checkouts.set("ann", { end: end.pass });
  Object.assign(desk, { renew: async () => renewed.open() });
  void serve();
  await awaited("a renewal", renewed.pass());
  rows.delete("ann");
  end.open();
  await running("cid");
  await until("given_back", "bob");
  expect(told.some(({ event, member }) => event === "given_back" && member === "ann")).toBe(false);
});

test("a host that goes while the database is gone waits for it no longer than its lease", async () => {
  const { add, serve, running, leave, desk, machine } = scene(50);
  add("ann");
  const serving = serve();
  await running("ann");
  const gone = () => Promise.reject(away);
  Object.assign(desk, { report: gone, renew: gone, mine: gone, take: gone });
  await leave();
  await awaited("the end of the host", serving);
  expect(await machine.running("crew")).toEqual([]);
});

test("a host that goes while the git server says nothing waits for it no longer than its lease, and tells what is not pushed", async () => {
  const { add, checkouts, serve, running, leave, told } = scene(50);
  const silent = async (signal: AbortSignal) => {
    if (!signal.aborted) await once(signal, "abort");
    throw new Error("git push was cancelled");
  };
  checkouts.set("ann", { push: silent, end: silent });
  add("ann");
  const serving = serve();
  await running("ann");
  await leave();
  await awaited("the end of the host", serving);
  expect(told).toContainEqual(
    expect.objectContaining({ event: "left_alone", member: "ann", detail: "git push was cancelled" }),
  );
});

test("a host that did not hear whether it has entered enters again, and is not taken for another process", async () => {
  const { serve, until, desk, told } = scene(40);
  let [number, own, enters] = [0, 0, 0];
  Object.assign(desk, {
    async enter() {
      number += 1;
      enters += 1;
      if (enters === 2) throw away;
      own = number;
    },
    async renew() {
      if (own !== number) throw refused(false);
      if (enters === 1) throw refused(true);
    },
  });
  const serving = serve();
  await until("late");
  await untilSeen("three entries", () => enters >= 3 || told.length > 9);
  expect(
    await Promise.race([serving.catch(() => "ended"), untilSeen("entered", () => enters === 3 && own === 3)]),
  ).toBe(true);
});

test("a teammate that had ended by itself is not given back by a host that goes meanwhile", async () => {
  const { add, rows, checkouts, serve, running, leave, machine } = scene();
  const [begun, end] = [held(undefined), held(undefined)];
  checkouts.set("ann", {
    end() {
      begun.open();
      return end.pass();
    },
  });
  add("ann");
  const serving = serve();
  await running("ann");
  await machine.crash("crew", "ann");
  await awaited("what it leaves", begun.pass());
  await leave();
  end.open();
  await awaited("the end of the host", serving);
  expect(rows.get("ann")?.state).toBe("ended");
});
