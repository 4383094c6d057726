import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse, words } from "../../test/entries.ts";
import { opened, settled, stage, turn } from "../../test/sessions.ts";
import { gate } from "../../test/team.ts";
import type { FrozenRequest } from "../model/frozen.ts";

const count = 100;
const numbers = Array.from({ length: count }, (_, at) => at + 1);
/** The agents that are stopped in the middle. */
const isStopped = (number: number) => number % 3 === 0;
/** What shows where an agent works; a few ask a shell. */
const look = (number: number) =>
  number % 20 === 0
    ? toolUse(`u${number}`, "Bash", { command: "ls" })
    : toolUse(`u${number}`, "Glob", { pattern: "*" });
const said = ({ messages }: FrozenRequest) => JSON.stringify(messages);
const numberOf = (request: FrozenRequest) =>
  Number(/task number (\d+);/.exec(JSON.stringify(request.messages[0]))?.[1]);

test("a hundred agents at once: each knows its own task, works in its own directory and is ended by its own abort alone", async () => {
  const free = gate();
  const scene = stage(
    {
      "": [
        numbers.map((number) =>
          toolUse(`t${number}`, "Agent", {
            description: `number ${number}`,
            prompt: `task number ${number};`,
            cwd: `place-${number}`,
            run_in_background: true,
          }),
        ),
      ],
    },
    { gates: { maxRunning: count, isCwdEnabled: true }, mode: "bypassPermissions", isBypassAvailable: true },
  );
  for (const number of numbers) {
    mkdirSync(join(scene.cwd, `place-${number}`));
    writeFileSync(join(scene.cwd, `place-${number}`, `own ${number}.txt`), "");
  }
  const requests = new Map<number, FrozenRequest[]>();
  const aborted = new Set<number>();
  let waiting = 0;
  const model: typeof scene.deps.model = async function* (request, signal) {
    const number = numberOf(request);
    if (Number.isNaN(number)) return yield* scene.deps.model(request, signal);
    const own = [...(requests.get(number) ?? []), request];
    requests.set(number, own);
    const answer = (content: ReturnType<typeof words>[]) => ({
      kind: "answered" as const,
      answer: {
        id: `m${number}-${own.length}`,
        model: "m",
        content,
        stopReason: own.length === 1 ? "tool_use" : "end_turn",
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
      },
    });
    if (own.length === 1) return yield answer([look(number)]);
    waiting += 1;
    const cut = new Promise<void>((resolve) => {
      const stop = () => {
        aborted.add(number);
        resolve();
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
    await Promise.race([free.opened, cut]);
    if (!signal.aborted) yield answer([words(`report of ${number}.`)]);
  };
  const session = opened({ ...scene.deps, model });
  await turn(session, "go");
  await untilSeen("a hundred agents at their second request", () => waiting === count);
  const { jobs } = session;
  expect(jobs.running()).toHaveLength(count);
  const jobOf = (number: number) => jobs.all().find(({ command }) => command === `number ${number}`);
  await awaited(
    "the ends of the stopped",
    Promise.all(numbers.filter(isStopped).map((number) => jobOf(number)?.stop())),
  );
  expect(jobs.running()).toHaveLength(count - numbers.filter(isStopped).length);
  free.open();
  await settled(session);
  expect([...aborted].sort((one, other) => one - other)).toEqual(numbers.filter(isStopped));
  for (const number of numbers) {
    const [first, second] = requests.get(number) ?? [];
    const others = (text: string) =>
      [...text.matchAll(/(?:task number|own|report of) (\d+)/g)].map(([, of]) => Number(of));
    expect(new Set(others(said(second ?? first ?? expect.unreachable())))).toEqual(new Set([number]));
    expect(said(second ?? expect.unreachable())).toContain(`own ${number}.txt`);
    expect(jobOf(number)?.end()).toMatchObject(
      isStopped(number) ? { status: "killed", text: "" } : { status: "completed", text: `report of ${number}.` },
    );
  }
  const { talk } = await turn(session, "and?");
  const told = [...talk.join().matchAll(/<summary>Agent \\"number (\d+)\\" (completed|was stopped)/g)];
  expect(told).toHaveLength(count);
});
