import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { startFakeAnthropic, text, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { type Conversation, type ConversationDeps, openConversation } from "../agent/conversation.ts";
import { directive, forkPlaceholder } from "../journal/fork.ts";
import { anthropicModel } from "../model/anthropic.ts";

const drain = async (agent: Conversation) => {
  for await (const _ of agent.run());
};

test("[FORK-25] the summary of a fork that is too long reads what its parent has put into the cache", async () => {
  const summary = "Do not call tools";
  const fake = await startFakeAnthropic({
    rule: ({ messages }) => {
      const said = JSON.stringify(messages);
      if (said.includes(summary)) return "We looked.";
      return messages.length > 1 || said.includes("We looked.") ? "Done." : [text("Off."), toolUse("Agent", {})];
    },
  });
  try {
    const home = scratch();
    const transcript = join(home, "parent.jsonl");
    const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });
    const shared: Omit<ConversationDeps<undefined>, "transcript" | "agent"> = {
      model: anthropicModel({ client, now: () => new Date() }),
      key: { model: "claude-opus-5-5", betas: [] },
      system: () => [{ type: "text", text: "s".repeat(20_000) }],
      tools: [
        {
          definition: { name: "Agent", description: "Starts a fork.", input_schema: { type: "object" } },
          isReplayable: false,
          isConcurrent: () => true,
          run: async () => ({ content: [{ type: "text", text: forkPlaceholder }] }),
        },
      ],
    };
    const parent = openConversation({ ...shared, transcript });
    parent.tell(`Look at all of this: ${"text ".repeat(4_000)}`);
    let line = "";
    for await (const event of parent.run()) {
      if (event.kind === "entry" && event.entry.kind === "answered") line ||= event.entry.id;
    }
    const fork = openConversation({
      ...shared,
      transcript: join(home, "fork.jsonl"),
      fork: { transcript, line },
      limits: { compactAt: 8_000 },
    });
    fork.queue.enqueue({ mode: "prompt", origin: { kind: "human" }, content: directive("look") });
    await drain(fork);
    const isSummary = ({ json }: { json: unknown }) => JSON.stringify(json).includes(summary);
    const [first] = fake.requests;
    const asked = fake.requests.filter(isSummary);
    expect(asked).toHaveLength(1);
    expect(first?.charge?.write5m).toBeGreaterThan(9_000);
    expect(asked[0]?.charge?.read).toBeGreaterThanOrEqual(first?.charge?.write5m ?? Number.POSITIVE_INFINITY);
    expect(fork.journal.state().ended).toMatchObject({ isOk: true, text: "Done." });
  } finally {
    await fake.close();
  }
});
