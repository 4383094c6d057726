import { parseArgs } from "node:util";
import { verdictOf } from "./measure.ts";
import { serve } from "./postgres-server.ts";
import { thousandOf } from "./postgres-thousand.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error(`--minutes is ${values.minutes}: give a number above 0`);
  process.exit(2);
}
const server = await serve();
if (!server) process.exit(1);
try {
  const results = await thousandOf(server, 60 * minutes);
  for (const [goal, result] of Object.entries(results))
    console.log(`${goal} ${result.value} (goal ${result.goal}; ${verdictOf(result)})`);
  if (Object.values(results).some(({ holds }) => !holds)) process.exitCode = 1;
} finally {
  await server.stop();
}
