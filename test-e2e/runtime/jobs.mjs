// A session whose agents work in the background, as a process of its own: it is killed, by itself
// at a write of any of its journals or by others, or done. What it is at, it says before it does
// it.
import { appendFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { attendHeadless, openSession } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { endAtWrite } from "./end-at-write.mjs";

const { url, root, cwd, file, marks, task, write } = JSON.parse(process.argv[2]);
const at = (place) => void writeSync(1, `at ${place}\n`);
if (write) endAtWrite((name) => String(name).endsWith(".jsonl"), write, at);

/** A tool whose second run would do harm; the other does so twice without harm. */
const append = (name, path, isReplayable) => ({
  definition: { name, description: "Appends a line.", input_schema: { type: "object" } },
  isReplayable,
  isConcurrent: () => false,
  async run({ line }) {
    at("a tool run");
    appendFileSync(path, `${line}\n`);
    await sleep(Math.random() * 5);
    return { content: [{ type: "text", text: `appended ${line}` }] };
  },
});

const ask = anthropicModel({ client: new Anthropic({ baseURL: url, apiKey: "none" }), now: () => new Date() });
const session = openSession({
  sessionId: "00000000-0000-4000-8000-000000000001",
  machine: { root, home: root, temporary: root, environment: { PATH: "/usr/bin:/bin" } },
  project: { cwd },
  role: "You lead.",
  model(request, signal) {
    at("a model request");
    return ask(request, signal);
  },
  key: { model: "claude-opus-5-5", betas: [] },
  tools: [append("Append", file, false), append("Mark", marks, true)],
  person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
  options: { mode: "bypassPermissions", isBypassAvailable: true, limits: { maxFailures: 1000 } },
});
const { past, waiting, said } = session.journal.state();
if (!past && waiting.length === 0 && said.length === 0) await session.submit(task);
const { jobs } = session;
const attending = attendHeadless({
  agent: session,
  signal: new AbortController().signal,
  hasBackgroundWork: () => jobs.unsettled().length > 0,
  backgroundChange: async () => void (await Promise.race(jobs.unsettled().map(({ settled }) => settled))),
});
for await (const _ of attending);
await session.close();
console.log(JSON.stringify(session.journal.state().ended));
