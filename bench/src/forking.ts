import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import {
  inputCost,
  type LoggedRequest,
  models,
  promptTokens,
  quarterOfBytes,
  startFakeAnthropic,
  text,
  toolUse,
} from "@troupe/fake-anthropic";
import { openSession } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { atMost, type Result } from "./measure.ts";

const write = 1.25;
const sizes = [2, 5, 8, 16];
/** The prices of a token read from the cache, in input tokens: 0.1, 0.05 and 0.025. */
const readers = ["claude-opus-5", "claude-opus-5-5", "claude-fable-5-1"];

/**
 * What a session paid for the input of the group: its own next request and all that its forks ask.
 */
interface Scene {
  readonly paid: number;
  /** What the documented prices allow at best. */
  readonly limit: number;
  /** Every fork and the parent have the same hashes up to what is their own. */
  readonly isShared: boolean;
}

interface Setting {
  readonly model: string;
  readonly forks: number;
  readonly turns: number;
  /**
   * The answer that starts them takes so long that nothing of its prompt is in the cache any more.
   */
  readonly isCold: boolean;
}

/**
 * A session whose model starts forks with Agent calls in one answer; each fork then reads a file in
 * every turn but its last.
 */
async function scene(setting: Setting): Promise<Scene> {
  const { model, forks, turns, isCold } = setting;
  const home = mkdtempSync(join(tmpdir(), "troupe-forks-"));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  for (let turn = 1; turn < turns; turn += 1) writeFileSync(join(cwd, `${turn}.txt`), `${turn}${"r".repeat(2_000)}`);
  let passed = 0;
  const clock = { now: () => Date.now() + passed, wait: (ms: number) => delay(ms) };
  const task = "d".repeat(4_000);
  const calls = Array.from({ length: forks }, (_, n) =>
    toolUse("Agent", { description: `part ${n}`, prompt: `${n} ${task}` }),
  );
  let release = () => {};
  const parentAsks = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fake = await startFakeAnthropic({
    clock,
    timeToFirstToken: 20,
    rule: async (request) => {
      const asked = request.messages.length;
      if (asked === 1) return "Ready.";
      if (asked === 3) {
        if (isCold) passed += 600_000;
        return [text("They begin."), ...calls];
      }
      // No request profits from being late: the first answer begins when all of the group have
      // asked that do not wait.
      if (asked === 5) await parentAsks.then(() => delay(200));
      const turn = (asked - 3) / 2;
      const isFork = JSON.stringify(request.messages[4]).includes("Your directive");
      return isFork && turn < turns ? toolUse("Read", { file_path: join(cwd, `${turn}.txt`) }) : "Done.";
    },
  });
  const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });
  const session = openSession({
    machine: {
      root: join(home, ".claude"),
      home,
      temporary: join(home, "tmp"),
      environment: {},
      now: () => new Date(clock.now()),
    },
    project: { cwd },
    role: "s".repeat(40_000),
    model: anthropicModel({ client, now: () => new Date() }),
    key: { model, betas: [] },
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
    options: { gates: { isInteractive: true, isForkEnabled: true } },
  });
  try {
    let asked = 0;
    for (const said of ["w".repeat(160_000), "Fork."]) {
      await session.submit(said);
      for await (const event of session.run())
        if (event.kind === "entry" && event.entry.kind === "asked" && ++asked === 3) release();
    }
    await Promise.all(session.jobs.all().map((job) => job.settled));
    return judged(fake.requests.slice(1), setting);
  } finally {
    await session.close();
    await fake.close();
    rmSync(home, { recursive: true });
  }
}

interface Content {
  readonly type: string;
  readonly text?: string;
}

function judged([before, ...after]: readonly LoggedRequest[], { model, forks, turns, isCold }: Setting): Scene {
  const info = models.find(({ id }) => id === model);
  const total = ({ charge }: LoggedRequest) => (charge ? promptTokens(charge) : Number.NaN);
  const messages = ({ json }: LoggedRequest) => (json as { messages: { content: Content[] }[] }).messages;
  /**
   * What stands behind the results of the shared answer: a directive, or what the parent is told.
   */
  const own = (request: LoggedRequest) =>
    messages(request)[4]?.content.filter(({ type }) => type !== "tool_result") ?? [];
  const nameOf = (request: LoggedRequest) => own(request).find(({ text }) => text?.includes("Your directive"))?.text;
  const at = (turn: number) => after.filter((request) => messages(request).length === 3 + 2 * turn);
  // What the parent asks when it has heard of an end is no part of the group.
  const group = after.filter((request) => nameOf(request) !== undefined || messages(request).length === 5);
  const first = at(1)[0];
  if (!before || !first || !info || group.length !== forks * turns + 1)
    throw new Error(`${group.length} requests, not ${forks * turns + 1}`);
  const { readMultiplier: read } = info;
  const tail = (request: LoggedRequest) => own(request).reduce((sum, { text = "" }) => sum + quarterOfBytes(text), 0);
  const shared = total(first) - tail(first);
  const past = isCold ? 0 : total(before);
  const beginnings = past * read + (shared - past) * write + forks * shared * read;
  const tails = at(1).reduce((sum, request) => sum + tail(request) * write, 0);
  /**
   * A later turn reads all that was sent before and writes the rest: no fork knows its last turn.
   */
  const later = group
    .filter((request) => messages(request).length > 5)
    .map((request) => {
      const turn = (messages(request).length - 3) / 2;
      const sent = at(turn - 1).find((one) => nameOf(one) === nameOf(request));
      const known = sent ? total(sent) : Number.NaN;
      return known * read + (total(request) - known) * write;
    });
  const paid = group.reduce((sum, { charge }) => sum + (charge ? inputCost(charge, info) : Number.NaN), 0);
  const limit = beginnings + tails + later.reduce((sum, cost) => sum + cost, 0);
  const prefix = (request: LoggedRequest) => `${request.prefixHashes.slice(0, -own(request).length)}`;
  return { paid, limit, isShared: at(1).every((request) => prefix(request) === prefix(first)) };
}

/**
 * P9: what forks and their parent pay for input, against the cheapest schedule; exact, so one round
 * is enough.
 */
export async function forking(): Promise<Record<string, Result>> {
  const results: Record<string, Result> = {};
  let unequal = 0;
  for (const [name, isCold, turns] of [
    ["P9.warm", false, 1],
    ["P9.cold", true, 1],
    ["P9.warm-turns", false, 5],
    ["P9.cold-turns", true, 5],
  ] as const) {
    const ratios: number[] = [];
    for (const model of readers)
      for (const forks of sizes) {
        const { paid, limit, isShared } = await scene({ model, forks, turns, isCold });
        ratios.push(paid / limit);
        if (!isShared) unequal += 1;
      }
    results[name] = atMost(1.02, [Math.max(...ratios)]);
  }
  results["P9.shared"] = atMost(0, [unequal]);
  return results;
}
