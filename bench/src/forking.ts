import { mkdtempSync, rmSync } from "node:fs";
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
import { type Block, directive, forkPlaceholder, gated, openAgent, type Tool } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { atMost, type Result } from "./measure.ts";

const write = 1.25;
const sizes = [2, 5, 8, 16];
/** One of each price that a token read from the cache can have: 0.1, 0.05 and 0.025 of an input token. */
const readers = ["claude-opus-5", "claude-opus-5-5", "claude-fable-5-1"];

/** What N forks paid for their input, and what the documented prices allow at best. */
interface Scene {
  readonly paid: number;
  readonly limit: number;
  /** Every fork has the same hashes up to its directive. */
  readonly isShared: boolean;
}

interface Setting {
  readonly model: string;
  readonly forks: number;
  readonly turns: number;
  /** The parent's entries have expired, and it waits for its forks instead of going on. */
  readonly isCold: boolean;
}

const answer = (name: string, content: string): Tool => ({
  definition: { name, description: "…", input_schema: { type: "object" } },
  isReplayable: true,
  isConcurrent: () => true,
  run: async () => ({ content: [{ type: "text", text: content }] }),
});

async function scene({ model, forks, turns, isCold }: Setting): Promise<Scene> {
  const root = mkdtempSync(join(tmpdir(), "troupe-forks-"));
  let passed = 0;
  const clock = { now: () => Date.now() + passed, wait: (ms: number) => delay(ms) };
  const fake = await startFakeAnthropic({
    clock,
    timeToFirstToken: 20,
    rule: (request) => {
      const asked = request.messages.length;
      if (asked === 1) return "Ready.";
      if (asked === 3)
        return [text("They begin."), ...Array.from({ length: forks }, (_, n) => toolUse("Agent", { n }))];
      const isParent = JSON.stringify(request.messages.at(-1)).includes("All forks run");
      return isParent || asked >= 5 + 2 * (turns - 1) ? "Done." : toolUse("Read", { file: "a.ts" });
    },
  });
  const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });
  const shared = {
    model: gated(anthropicModel({ client, now: () => new Date() }), {
      capMs: 5_000,
      warmMs: 240_000,
      now: clock.now,
      sleep: async (ms: number, signal: AbortSignal) => void (await delay(ms, undefined, { signal }).catch(() => {})),
    }),
    key: { model, betas: [] },
    system: (): readonly Block[] => [{ type: "text", text: "s".repeat(40_000) }],
    tools: [answer("Agent", forkPlaceholder), answer("Read", "r".repeat(2_000))],
  };
  const transcript = join(root, "parent.jsonl");
  const parent = openAgent({ ...shared, transcript });
  const drain = async (agent: typeof parent, until = (_kind: string) => false) => {
    for await (const event of agent.run()) if (event.kind === "entry" && until(event.entry.kind)) return;
  };
  try {
    parent.tell("w".repeat(160_000));
    await drain(parent);
    parent.tell("Fork.");
    let answers = 0;
    await drain(parent, (kind) => kind === "answered" && ++answers === 1);
    const line = parent.journal.state().answer?.id ?? "";
    const before = fake.requests.length;
    let parentsOwn: Promise<void> = Promise.resolve();
    if (isCold) passed += 600_000;
    else {
      parent.tell("All forks run.");
      parentsOwn = drain(parent);
      await fake.received(before + 1);
    }
    const task = "d".repeat(4_000);
    const children = Array.from({ length: forks }, (_, n) => {
      const child = openAgent({
        ...shared,
        transcript: join(root, `fork-${n}.jsonl`),
        fork: { transcript, line },
        limits: { maxTurns: turns },
      });
      child.queue.enqueue({ mode: "prompt", origin: { kind: "human" }, content: directive(`${n} ${task}`) });
      return child;
    });
    await Promise.all([parentsOwn, ...children.map((child) => drain(child))]);
    const requests = fake.requests.slice(before + (isCold ? 0 : 1));
    return judged(requests, { model, forks, turns, isCold });
  } finally {
    await fake.close();
    rmSync(root, { recursive: true });
  }
}

function judged(requests: readonly LoggedRequest[], { model, forks, turns, isCold }: Setting): Scene {
  const info = models.find(({ id }) => id === model);
  const r = info?.readMultiplier ?? Number.NaN;
  const total = ({ charge }: LoggedRequest) => (charge ? promptTokens(charge) : Number.NaN);
  const paid = requests.reduce((sum, { charge }) => sum + (charge && info ? inputCost(charge, info) : Number.NaN), 0);
  const directiveOf = ({ json }: LoggedRequest) =>
    (json as { messages: { content: { text?: string }[] }[] }).messages.at(-1)?.content.at(-1)?.text ?? "";
  const firsts = requests.filter((request) => directiveOf(request).includes("Your directive"));
  const [first] = firsts;
  if (!first || firsts.length !== forks) throw new Error(`${firsts.length} forks asked, not ${forks}`);
  const tail = quarterOfBytes(directiveOf(first));
  const past = total(first) - tail;
  const length = (request: LoggedRequest) => (request.json as { messages: unknown[] }).messages.length;
  const totals = Array.from({ length: turns }, (_, turn) =>
    total(requests.find((request) => length(request) === length(first) + 2 * turn) ?? first),
  );
  const tailCost = turns === 1 ? tail : tail * (write + (turns - 1) * r);
  const grown = totals.slice(1).map((tokens, at) => {
    const isLast = at + 2 === turns;
    return (tokens - (totals[at] ?? 0)) * (isLast ? 1 : write + (turns - 2 - at) * r);
  });
  const one = turns * r * past + tailCost + grown.reduce((sum, tokens) => sum + tokens, 0);
  const limit = forks * one + (isCold ? (write - r) * past : 0);
  const isShared = firsts.every(
    ({ prefixHashes }) => `${prefixHashes.slice(0, -1)}` === `${first.prefixHashes.slice(0, -1)}`,
  );
  return { paid, limit, isShared };
}

/** P9: what forks pay for their input, against the least that the prices allow; exact, so one round is enough. */
export async function forking(): Promise<Record<string, Result>> {
  const results: Record<string, Result> = {};
  let allShared = true;
  for (const [name, goal, isCold, turns] of [
    ["P9.warm", 1.02, false, 1],
    ["P9.cold", 1.02, true, 1],
    ["P9.turns", 1.1, false, 5],
  ] as const) {
    const ratios: number[] = [];
    for (const model of readers)
      for (const forks of sizes) {
        const { paid, limit, isShared } = await scene({ model, forks, turns, isCold });
        ratios.push(paid / limit);
        allShared &&= isShared;
      }
    results[name] = atMost(goal, [Math.max(...ratios)]);
  }
  results["P9.shared"] = atMost(0, [allShared ? 0 : 1]);
  return results;
}
