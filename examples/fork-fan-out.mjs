// Five forks of one conversation share what it has in the cache. What they cost, beside what is
// possible at best and beside no cache.   node examples/fork-fan-out.mjs
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { inputCost, models, promptTokens, startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { openSession } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";

const parts = ["the parser", "the printer", "the linter", "the tests", "the docs"];
const home = mkdtempSync(join(tmpdir(), "example-"));
const cwd = join(home, "project");
mkdirSync(cwd);
const forks = parts.map((part) => toolUse("Agent", { description: part, prompt: `Look at ${part}.` }));
const fake = await startFakeAnthropic({
  timeToFirstToken: 50, // what one writes to the cache is there for others from its first token on
  rule: ({ messages }) => (messages.length === 1 ? forks : "All is well."),
});
const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });
const model = "claude-opus-5-5";

const session = openSession({
  machine: {
    root: join(home, ".claude"),
    home,
    temporary: join(home, "tmp"),
    environment: { PATH: String(process.env["PATH"]), HOME: home },
  },
  project: { cwd },
  role: `You know this project well.\n${"It is a large one. ".repeat(3_000)}`,
  model: anthropicModel({ client, now: () => new Date() }),
  key: { model, betas: [] },
  options: { gates: { isForkEnabled: true, isInteractive: true } },
  person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
});
await session.submit("Look at every part.");
for await (const _ of session.run());
await Promise.all(session.jobs.all().map(({ settled }) => settled));

// Each request as the API charges it, in tokens of uncached input.
const price = models.find(({ id }) => id === model) ?? { readMultiplier: 0.1 };
const charges = fake.requests.slice(0, 1 + parts.length).flatMap(({ charge }) => charge ?? []);
const paid = charges.reduce((sum, charge) => sum + inputCost(charge, price), 0);
const [first] = charges.map(promptTokens);
const all = charges.map(promptTokens).reduce((sum, tokens) => sum + tokens, 0);
const best =
  1.25 * (first ?? 0) + charges.slice(1).reduce((sum, charge) => sum + price.readMultiplier * promptTokens(charge), 0);
console.log(`one conversation and ${parts.length} forks sent ${all} tokens`);
console.log(`paid like ${Math.round(paid)} tokens without a cache: ${Math.round((100 * paid) / all)} %`);
console.log(`at best, were everything shared: ${Math.round((100 * best) / all)} %`);
await session.close();
await fake.close();
rmSync(home, { recursive: true });
