// One agent with one tool. Its transcript is its memory: killed at any moment, the next run goes on
// where this one was.   node examples/one-agent.mjs [transcript]      with ANTHROPIC_API_KEY it
// asks the real API
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { openConversation } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";

const apiKey = process.env["ANTHROPIC_API_KEY"];
const replies = [[toolUse("Temperature", { city: "Taipei" })], "It is 26 degrees in Taipei."];
const fake = apiKey ? undefined : await startFakeAnthropic({ replies });
const client = new Anthropic(fake ? { baseURL: fake.url, apiKey: "none" } : { apiKey });

const agent = openConversation({
  transcript: process.argv[2] ?? join(mkdtempSync(join(tmpdir(), "example-")), "weather.jsonl"),
  model: anthropicModel({ client, now: () => new Date() }),
  key: { model: "claude-haiku-5-5", betas: [] },
  system: () => [{ type: "text", text: "You answer in one sentence." }],
  tools: [
    {
      definition: {
        name: "Temperature",
        description: "The temperature in a city, in degrees Celsius.",
        input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
      isReplayable: true, // asking twice is as good as asking once, so a crash in between repeats it
      isConcurrent: () => true,
      run: async () => ({ content: [{ type: "text", text: "26" }] }),
    },
  ],
});

agent.tell("How warm is it in Taipei?");
for await (const event of agent.run()) {
  if (event.kind === "entry" && event.entry.kind === "called") console.log("(it calls its tool)");
  if (event.kind === "piece" && event.of === "text") process.stdout.write(event.text);
}
console.log();
agent.close();
await fake?.close();
