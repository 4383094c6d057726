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

// The input of the five alone, as the API charges it, in tokens of uncached input.
async function five(call) {
  const home = mkdtempSync(join(tmpdir(), "example-"));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const fake = await startFakeAnthropic({
    timeToFirstToken: 50, // what one writes to the cache is there for others from its first token on
    rule: ({ messages: [{ content }, ...more] }) =>
      more.length === 0 && content[0].text.endsWith("every part.") ? parts.map(call) : "All is well.",
  });
  const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });
  const environment = { PATH: String(process.env["PATH"]), HOME: home };
  const session = openSession({
    machine: { root: join(home, ".claude"), home, temporary: join(home, "tmp"), environment },
    project: { cwd },
    role: "You know this project well.",
    model: anthropicModel({ client, now: () => new Date() }),
    key: { model: id, betas: [] },
    options: { gates: { isForkEnabled: true, isInteractive: true } },
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
  });
  await session.submit(`${known}\nLook at every part.`);
  for await (const _ of session.run());
  await Promise.all(session.jobs.all().map(({ settled }) => settled));
  const isOne = ({ json }) => /(directive: |Do this: )Look at/.test(JSON.stringify(json.messages.at(-1)));
  const charges = fake.requests.filter(isOne).map(({ charge }) => charge);
  await session.close();
  await fake.close();
  rmSync(home, { recursive: true });
  const sum = (of) => Math.round(charges.reduce((all, charge) => all + of(charge), 0));
  return { paid: sum((one) => inputCost(one, price)), best: sum((one) => promptTokens(one) * price.readMultiplier) };
}

const forks = await five((part) => toolUse("Agent", { description: part, prompt: `Look at ${part}.` }));
const prompt = (part) => `${known}\nDo this: Look at ${part}.`;
const spawns = await five((part) =>
  toolUse("Agent", { subagent_type: "general-purpose", description: part, prompt: prompt(part) }),
);
console.log(`5 forks paid like ${forks.paid} tokens without a cache`);
console.log(
  `5 agents that begin anew, and are told what is known: ${spawns.paid}, ${(spawns.paid / forks.paid).toFixed(1)} times as much`,
);
console.log(
  `the limit, were every token of the forks read from the cache: ${forks.best}, ${Math.round((100 * forks.best) / forks.paid)} % of what they paid`,
);
