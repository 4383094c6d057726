import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Block, openSession, scriptedModel, type Tool } from "@troupe/runtime";
import { atMost, type Result, roundsOf } from "./measure.ts";

const agents = 100;
const calls = 10_000;

const noop: Tool = {
  definition: { name: "Noop", description: "Does nothing.", input_schema: { type: "object" } },
  isReplayable: true,
  isConcurrent: () => true,
  run: async () => ({ content: [{ type: "text", text: "ok" }] }),
};

const call = (at: number, name: string, input: object): Block => ({ type: "tool_use", id: `t${at}`, name, input });
const starting = Array.from({ length: agents }, (_, at) =>
  call(at, "Agent", { description: `look ${at}`, prompt: `task ${at}`, run_in_background: true }),
);
const many = Array.from({ length: calls }, (_, at) => call(at, "Noop", { at }));

/**
 * P7: the delay of a timer, in milliseconds, while a session starts a hundred agents, and while it
 * runs ten thousand calls of one answer.
 */
export async function crowding(): Promise<Record<string, Result>> {
  return {
    "P7.starting": atMost(50, await roundsOf(() => lateness(starting, agents))),
    "P7.calls": atMost(50, await roundsOf(() => lateness(many, 0))),
  };
}

/**
 * The 99th percentile delay of a timer due every millisecond, until the first answer is processed
 * and this many agents wait for their model.
 */
async function lateness(content: readonly Block[], begun: number): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "troupe-crowd-"));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  let asked = 0;
  let all = () => {};
  const begin = new Promise<void>((resolve) => {
    all = resolve;
  });
  if (begun === 0) all();
  const main = scriptedModel((_, nth) => (nth === 0 ? content : [{ type: "text", text: "done" }]));
  const session = openSession({
    machine: { root: join(home, ".claude"), home, temporary: join(home, "tmp"), environment: {} },
    project: { cwd },
    role: "You lead.",
    key: { model: "m", betas: [] },
    tools: [noop],
    options: {
      gates: { maxRunning: agents },
      mode: "bypassPermissions",
      isBypassAvailable: true,
      limits: { compactAt: Number.POSITIVE_INFINITY },
    },
    async *model(request, signal) {
      if (JSON.stringify(request.messages[0]).includes("begin")) return yield* main(request, signal);
      asked += 1;
      if (asked === begun) all();
      yield { kind: "begun" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield { kind: "failed", failure: { kind: "aborted", message: "the session ended" } };
    },
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
  });
  try {
    await session.submit("begin");
    const late: number[] = [];
    let isOver = false;
    const ticking = (async () => {
      for (let before = performance.now(); !isOver; before = performance.now()) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        late.push(performance.now() - before - 1);
      }
    })();
    for await (const _ of session.run());
    await begin;
    isOver = true;
    await ticking;
    late.sort((one, other) => one - other);
    return late[Math.floor(late.length * 0.99)] ?? 0;
  } finally {
    await session.close();
    rmSync(home, { recursive: true });
  }
}
