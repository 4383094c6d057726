import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Block, openSession, scriptedModel } from "@troupe/runtime";
import { held, idlePercent } from "./idling.ts";
import { atMost, type Result, roundsOf } from "./measure.ts";

const agents = 100;
/** The code that all of them run is compiled with these. */
const earlier = 20;

/**
 * P7: what an agent costs that works below a session and waits for its model's second answer,
 * besides the first twenty: KB of heap; and the percentage of a core that a hundred of them take.
 */
export async function subAgents(): Promise<Record<string, Result>> {
  const home = mkdtempSync(join(tmpdir(), "troupe-agents-"));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  let waiting = 0;
  let enough = () => {};
  const untilWaiting = (count: number) =>
    new Promise<void>((resolve) => {
      enough = () => waiting === count && resolve();
      enough();
    });
  const call = (id: string): Block => ({
    type: "tool_use",
    id,
    name: "Agent",
    input: { description: id, prompt: "look", run_in_background: true },
  });
  const main = scriptedModel((_, nth) => {
    if (nth === 0) return Array.from({ length: earlier }, (_, at) => call(`e${at}`));
    if (nth === 2) return Array.from({ length: agents }, (_, at) => call(`t${at}`));
    return [{ type: "text", text: "done" }];
  });
  const session = openSession({
    machine: { root: join(home, ".claude"), home, temporary: join(home, "tmp"), environment: {} },
    project: { cwd },
    role: "You lead.",
    key: { model: "m", betas: [] },
    options: { gates: { maxRunning: agents + earlier }, mode: "bypassPermissions", isBypassAvailable: true },
    async *model(request, signal) {
      if (JSON.stringify(request.messages[0]).includes("begin")) return yield* main(request, signal);
      if (request.messages.length === 1)
        return yield* scriptedModel([[{ type: "tool_use", id: "u1", name: "Glob", input: { pattern: "*" } }]])(
          request,
          signal,
        );
      waiting += 1;
      enough();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield { kind: "failed", failure: { kind: "aborted", message: "the session ended" } };
    },
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
  });
  const turn = async (words: string, count: number) => {
    await session.submit(words);
    for await (const _ of session.run());
    await untilWaiting(count);
  };
  try {
    await turn("begin", earlier);
    const first = await held();
    await turn("begin again", agents + earlier);
    const idle = await roundsOf(() => idlePercent(agents + earlier), 3);
    const all = await held();
    return {
      "P7.agents": atMost(20, [(all.heap - first.heap) / 1_024 / agents]),
      "P7.agents-idle": atMost(0.3, idle),
    };
  } finally {
    await session.close();
    rmSync(home, { recursive: true });
  }
}
