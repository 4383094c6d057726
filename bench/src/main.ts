import { inboxReading } from "./inbox-reading.ts";
import type { Result } from "./measure.ts";

/** Every goal that is measured so far, by its number in the design; a goal with parts has keys like `P2.mixed`. */
const goals: Readonly<Record<string, () => Result>> = { P0: inboxReading };

const results = Object.fromEntries(Object.entries(goals).map(([goal, measure]) => [goal, measure()]));

if (process.argv.includes("--json")) console.log(JSON.stringify(results, null, 2));
else {
  for (const [goal, { value, goal: limit, holds, rounds, noisy }] of Object.entries(results)) {
    const verdict = `${holds ? "holds" : "falls short"}${noisy ? ", noisy" : ""}`;
    console.log(`${goal}  ${value}  (goal ${limit}; ${verdict}; rounds ${rounds.join(" ")})`);
  }
}
