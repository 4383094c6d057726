import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { startFakeAnthropic, text, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { type Conversation, type ConversationDeps, openConversation } from "../agent/conversation.ts";
import { directive, forkPlaceholder } from "../journal/fork.ts";
import type { Tool } from "../loop/tool.ts";
import { anthropicModel } from "../model/anthropic.ts";
import { gated } from "./gate.ts";

const forks = 9;
const drain = async (agent: Conversation) => {
  for await (const _ of agent.run());
};

test("[FORK-14] the forks of one answer and their parent share one cache entry, also when they ask at once", async () => {
  const fake = await startFakeAnthropic({
    timeToFirstToken: 30,
    rule: ({ messages }) =>
      messages.length > 1 ? "Done." : [text("Off."), ...Array.from({ length: forks }, () => toolUse("Agent", {}))],
  });
  try {
    const home = scratch();
    const transcript = join(home, "parent.jsonl");
    const children: Promise<void>[] = [];
    const agentTool: Tool = {
      definition: { name: "Agent", description: "Starts a fork.", input_schema: { type: "object" } },
      isReplayable: false,
      isConcurrent: () => true,
      async run(_, { call, answer: line = "" }) {
        const child = openConversation({
          ...shared,
          transcript: join(home, `${call}.jsonl`),
          fork: { transcript, line },
        });
        child.queue.enqueue({ mode: "prompt", origin: { kind: "human" }, content: directive(call) });
        children.push(drain(child));
        return { content: [{ type: "text", text: forkPlaceholder }] };
      },
    };
    const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });
    const sleep = async (ms: number, signal: AbortSignal) =>
      void (await delay(ms, undefined, { signal }).catch(() => {}));
    const shared: Omit<ConversationDeps<undefined>, "transcript" | "agent"> = {
      model: gated(anthropicModel({ client, now: () => new Date() }), {
        capMs: 60_000,
        warmMs: 240_000,
        now: Date.now,
        sleep,
      }),
      key: { model: "claude-opus-5-5", betas: [] },
      system: () => [{ type: "text", text: "s".repeat(20_000) }],
      tools: [agentTool],
    };
    const parent = openConversation({ ...shared, transcript });
    parent.tell("Do nine things at once.");
    await drain(parent);
    await Promise.all(children);
    const [first, leader, ...others] = fake.requests.map(({ charge, prefixHashes }) => ({ charge, prefixHashes }));
    expect(others).toHaveLength(forks);
    const written = (leader?.charge?.read ?? 0) + (leader?.charge?.write5m ?? 0);
    expect(leader?.charge?.read).toBe((first?.charge?.read ?? 0) + (first?.charge?.write5m ?? 0));
    for (const { charge, prefixHashes } of others) {
      expect(charge?.read).toBeGreaterThan(leader?.charge?.read ?? 0);
      expect(charge?.read).toBeLessThanOrEqual(written);
      expect(prefixHashes.slice(0, forks + 4)).toEqual(leader?.prefixHashes.slice(0, forks + 4));
    }
  } finally {
    await fake.close();
  }
});
