import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Block, bytesOf, openConversation, openJournal, scriptedModel, type Tool } from "@troupe/runtime";
import { atMost, quickest, type Result, roundsOf } from "./measure.ts";

const look: Tool = {
  definition: { name: "Look", description: "Looks.", input_schema: { type: "object" } },
  isReplayable: true,
  isConcurrent: () => true,
  run: async () => ({ content: [{ type: "text", text: "x".repeat(2_000) }] }),
};

const system: readonly Block[] = [{ type: "text", text: "s".repeat(40_000) }];
const key = { model: "claude-opus-5-5", betas: [] };

/** A model that asks for one call a turn, and takes the request as it would be sent. */
const turning = (turns: number) =>
  scriptedModel((request) => {
    bytesOf(request);
    const turn = request.messages.length / 2;
    if (turn > turns) return [{ type: "text", text: "Done." }];
    return [
      { type: "text", text: "I look. ".repeat(20) },
      { type: "tool_use", id: `call-${turn}`, name: "Look", input: { at: turn } },
    ];
  });

/**
 * P12: the cost of the loop itself, with a transcript on disk and each request rendered, and of
 * reading a transcript.
 */
export async function looping(): Promise<Record<string, Result>> {
  const root = mkdtempSync(join(tmpdir(), "troupe-loop-"));
  let made = 0;
  try {
    const cpuPerTurn = async (agents: number, turns: number) => {
      const all = Array.from({ length: agents }, () => {
        const agent = openConversation({
          transcript: join(root, `${made++}.jsonl`),
          model: turning(turns),
          key,
          system: () => system,
          tools: [look],
        });
        agent.tell("Begin.");
        return agent;
      });
      const before = process.cpuUsage();
      await Promise.all(
        all.map(async (agent) => {
          for await (const _ of agent.run());
        }),
      );
      const { user, system: inKernel } = process.cpuUsage(before);
      for (const agent of all) agent.close();
      return (user + inKernel) / 1000 / (agents * (turns + 1));
    };
    return {
      "P12.one": atMost(2, await roundsOf(() => cpuPerTurn(1, 100))),
      "P12.hundred": atMost(2, await roundsOf(() => cpuPerTurn(100, 10))),
      "P12.resume": atMost(5, await resuming(root)),
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function resuming(root: string): Promise<number[]> {
  const path = join(root, "long.jsonl");
  const deps = {
    path,
    identity: { sessionId: "s", cwd: "/", version: "0" },
    now: () => new Date(),
    newId: crypto.randomUUID.bind(crypto),
  };
  const writer = openJournal(deps);
  for (let turn = 0, bytes = 0; bytes < 10_000_000; turn += 1) {
    const text = "what was found and what follows from it ".repeat(20);
    const usage = { input: 10, cacheRead: 10, cacheWrite5m: 10, cacheWrite1h: 0, output: 10 };
    const content = [
      { type: "text", text },
      { type: "tool_use", id: `call-${turn}`, name: "Look", input: { at: turn, path: "a/b/c.ts" } },
    ];
    const result = "const answer = 42;\n".repeat(100);
    writer.append({ kind: "asked", result: `${turn}` });
    writer.append({
      kind: "answered",
      answer: { id: `m${turn}`, model: key.model, content, stopReason: "tool_use", usage },
    });
    writer.append({ kind: "called", call: `call-${turn}`, isReplayable: true });
    writer.append({ kind: "result", call: `call-${turn}`, content: [{ type: "text", text: result }], isError: false });
    bytes += text.length + result.length + 1_200;
  }
  writer.close();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return roundsOf(() => {
    const parse = quickest(() => lines.map((line) => JSON.parse(line)));
    return quickest(() => openJournal(deps).close()) / parse;
  });
}
