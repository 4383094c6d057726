// An agent as a process of its own: it works on a list of lines, two calls each, until it is
// killed, by itself at a write of its journal or by others, or done. What it is at, it says before
// it does it.
import { appendFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { openConversation } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { endAtWrite } from "./end-at-write.mjs";

const { url, transcript, file, marks, task, write } = JSON.parse(process.argv[2]);
const at = (place) => void writeSync(1, `at ${place}\n`);
if (write) endAtWrite((name) => name === transcript, write, at);

/**
 * Appends a line, as a tool whose second run would do harm; the other does so twice without harm.
 */
const append = (name, path, isReplayable) => ({
  definition: { name, description: "Appends a line.", input_schema: { type: "object" } },
  isReplayable,
  isConcurrent: () => true,
  async run({ line }) {
    at("a tool run");
    appendFileSync(path, `${line}\n`);
    await sleep(Math.random() * 10);
    return { content: [{ type: "text", text: `appended ${line}` }] };
  },
});

const ask = anthropicModel({ client: new Anthropic({ baseURL: url, apiKey: "none" }), now: () => new Date() });

const agent = openConversation({
  transcript,
  model(request, signal) {
    at("a model request");
    return ask(request, signal);
  },
  key: { model: "claude-opus-5-5", betas: [] },
  system: () => [{ type: "text", text: "You append lines." }],
  tools: [append("Append", file, false), append("Mark", marks, true)],
  limits: { maxFailures: 1000 },
});
const { ended, past, waiting } = agent.journal.state();
if (!past && waiting.length === 0 && !ended) agent.tell(task);
for await (const event of agent.run()) if (event.kind === "entry") console.log("wrote", event.entry.id);
console.log(JSON.stringify(agent.journal.state().ended));
