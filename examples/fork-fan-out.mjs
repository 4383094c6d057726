// Five forks of one conversation share what it has in the cache. What they cost, beside five agents
// that begin anew and beside what is possible at best.   node examples/fork-fan-out.mjs
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { inputCost, models, promptTokens, startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { openSession } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";

const parts = ["the parser", "the printer", "the linter", "the tests", "the docs"];
const known = `What is known of the project:\n${"It is a large one. ".repeat(3_000)}`;
const id = "claude-opus-5-5";
const price = models.find((model) => model.id === id) ?? { readMultiplier: 0.1 };
const paid = { forks: 0, anew: 0 };
let limit = 0;

for (const kind of /** @type {const} */ (["forks", "anew"])) {
  const isFork = kind === "forks";
  const home = mkdtempSync(join(tmpdir(), "example-"));
  mkdirSync(join(home, "project"));
  const calls = parts.map((part) => {
    const prompt = isFork ? `Look at ${part}.` : `${known}\nLook at ${part}.`;
    return toolUse("Agent", { description: part, prompt, ...(!isFork && { subagent_type: "general-purpose" }) });
  });
  const fake = await startFakeAnthropic({
    timeToFirstToken: 50, // what one writes to the cache is there for others from its first token on
    rule: ({ messages }) =>
      messages.length === 1 && JSON.stringify(messages).includes("every part") ? calls : "All is well.",
  });
  const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });
  const environment = { PATH: String(process.env["PATH"]), HOME: home };
  const session = openSession({
    machine: { root: join(home, ".claude"), home, temporary: join(home, "tmp"), environment },
    project: { cwd: join(home, "project") },
    role: "You know this project well.",
    model: anthropicModel({ client, now: () => new Date() }),
    key: { model: id, betas: [] },
    options: { gates: { isForkEnabled: true, isInteractive: true } },
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
  });
  await session.submit(`${known}\nLook at every part.`);
  for await (const _ of session.run());
  await Promise.all(session.jobs.all().map(({ settled }) => settled));
  // The input of the five alone, as the API charges it, in tokens of uncached input.
  for (const { json, charge } of fake.requests) {
    const asked = JSON.stringify(json);
    if (!charge || !(isFork ? asked.includes("directive: ") : !asked.includes("every part"))) continue;
    paid[kind] += inputCost(charge, price);
    if (isFork) limit += promptTokens(charge) * price.readMultiplier;
  }
  await session.close();
  await fake.close();
  rmSync(home, { recursive: true });
}
console.log(`5 forks paid like ${Math.round(paid.forks)} tokens without a cache`);
console.log(
  `5 agents that begin anew paid like ${Math.round(paid.anew)}: ${(paid.anew / paid.forks).toFixed(1)} times as much`,
);
console.log(`the limit for forks, were all read from the cache: ${Math.round(limit)}`);
