// An agent as a process of its own: it works on a list of lines, one call each, until it is killed or done.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { openAgent } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";

const { url, transcript, file, marks, task } = JSON.parse(process.argv[2]);
const client = new Anthropic({ baseURL: url, apiKey: "none" });

/** Appends a line, as a tool whose second run would do harm; the other does so twice without harm. */
const append = (name, path, isReplayable) => ({
  definition: { name, description: "Appends a line.", input_schema: { type: "object" } },
  isReplayable,
  isConcurrent: () => true,
  async run({ line }) {
    appendFileSync(path, `${line}\n`);
    await sleep(Math.random() * 10);
    return { content: [{ type: "text", text: `appended ${line}` }] };
  },
});

const agent = openAgent({
  transcript,
  model: anthropicModel({ client, now: () => new Date() }),
  key: { model: "claude-opus-5-5", betas: [] },
  system: () => [{ type: "text", text: "You append lines." }],
  tools: [append("Append", file, false), append("Mark", marks, true)],
  limits: { maxFailures: 1000 },
});
const { ended, past, waiting } = agent.journal.state();
if (!past && waiting.length === 0 && !ended) agent.tell(task);
for await (const event of agent.run()) if (event.kind === "entry") console.log("wrote", event.entry.kind);
console.log(JSON.stringify(agent.journal.state().ended));
