import { setImmediate as nextRound } from "node:timers/promises";
import { TroupeError } from "@troupe/protocol";
import type { Observation } from "@troupe/team";
import { expect, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import type { Asked } from "./asked.ts";
import { hostBackend, type Spawns } from "./backend.ts";

const away = new TroupeError("store_unavailable", "the database cannot be reached");
const spec = {
  team: "crew",
  teamCreatedAt: 1,
  name: "ann",
  revision: "2026-02" as const,
  leadSessionId: "s",
  agentType: "a",
  model: "m",
  prompt: "go",
  mode: "default" as const,
  planModeRequired: false,
  cwd: "/",
  environment: {},
  color: undefined,
};
const row: Asked = {
  id: "1",
  team: "crew",
  member: "ann",
  spec: { teamCreatedAt: 1 },
  state: "taken",
  host: "build",
  epoch: "1",
  starts: 1,
  isHeard: true,
  heardMs: 0,
  stopMs: null,
  reason: null,
  detail: null,
  result: null,
};

/** A lead of a database that gives these answers, one a look, and the last one ever after. */
function lead(...answers: readonly (Partial<Asked> | typeof away)[]) {
  const calls: string[] = [];
  const given = [...answers];
  const called = (name: string) => {
    calls.push(name);
    const before = calls.filter((one) => one === name).length;
    return before === 1 && name !== "look" ? Promise.reject(away) : Promise.resolve();
  };
  const spawns: Spawns = {
    ask: async () => {
      await called("ask");
      return "1";
    },
    async look() {
      await called("look");
      const answer = given.length > 1 ? given.shift() : given[0];
      if (answer === away) throw away;
      return { ...row, ...answer } as Asked;
    },
    open: async () => [],
    stop: () => called("stop"),
    giveUp: () => called("giveUp"),
    listen: () => ({
      async next(signal) {
        await nextRound();
        return signal?.aborted !== true;
      },
      end() {},
    }),
  };
  const warn = (message: string) => expect.unreachable(message);
  const deps = { name: "host", spawns: async () => spawns, labels: [], environment: process.env, warn };
  return { calls, backend: (takenMs: number) => hostBackend({ ...deps, takenMs }) };
}
const never = new AbortController().signal;

test("a request whose host gives it back before it is at work, or is not heard of any more, is given up in time", async () => {
  for (const lost of [{ state: "wanted", host: null, isHeard: null }, { isHeard: false }] as const) {
    const { backend, calls } = lead({ state: "wanted", host: null, isHeard: null }, {}, lost);
    const spawned = backend(50).spawn(spec, never);
    await expect(awaited("the end of the spawn", spawned)).rejects.toThrow("has taken it within 0.05 s");
    expect(calls.slice(-2)).toEqual(["giveUp", "giveUp"]);
  }
});

test("a database that is away for a while ends neither a spawn nor what is seen of it, and asks for no second one", async () => {
  const { backend, calls } = lead(away, {}, away, { state: "running" }, away, { state: "ended", detail: "done" });
  const one = await backend(60_000).spawn(spec, never);
  const seen: Observation[] = [];
  for await (const each of backend(60_000).observe(one, never)) seen.push(each);
  expect(seen).toEqual([{ kind: "ended", reason: "exit", detail: "on build: done" }]);
  expect(calls.filter((name) => name !== "look")).toEqual(["ask", "ask"]);
});

test("a lead that goes on with a teammate hears that its host is lost, also where that was its first", async () => {
  const lost = { state: "running", isHeard: false, heardMs: 9_000 } as const;
  const { backend } = lead(lost, lost, { state: "running", host: "other", epoch: "2", starts: 2 }, { state: "ended" });
  const kinds: string[] = [];
  const one = { backend: "host", team: "crew", name: "ann", request: "1" };
  for await (const each of backend(60_000).observe(one, never)) kinds.push(each.kind);
  expect(kinds).toEqual(["away", "back", "ended"]);
});
