import { crowding } from "./crowding.ts";
import { durability } from "./durability.ts";
import { forking } from "./forking.ts";
import { idling } from "./idling.ts";
import { inboxReading } from "./inbox-reading.ts";
import { locking } from "./locking.ts";
import { looping } from "./looping.ts";
import { mcpWaking } from "./mcp-waking.ts";
import type { Result } from "./measure.ts";
import { page } from "./page.ts";
import { panes } from "./panes.ts";
import { printPaths } from "./paths.ts";
import { sending } from "./sending.ts";
import { spawning } from "./spawning.ts";
import { starting } from "./starting.ts";
import { subAgents } from "./sub-agents.ts";
import { tasks } from "./tasks.ts";
import { trees } from "./trees.ts";
import { typing } from "./typing.ts";
import { wakeLatency, waking } from "./waking.ts";

/**
 * All measurements; each yields its goals by their numbers in the design, `P2.mixed` for a part.
 */
const measurements: readonly (() => Promise<Record<string, Result>>)[] = [
  inboxReading,
  sending,
  locking,
  wakeLatency,
  waking,
  mcpWaking,
  tasks,
  durability,
  forking,
  looping,
  crowding,
  idling,
  subAgents,
  panes,
  spawning,
  starting,
  typing,
  page,
  trees,
];

const named = measurements.filter(({ name }) => process.argv.includes(name));
const chosen = named.length > 0 ? named : measurements;
const results: Record<string, Result> = {};
if (process.argv.includes("paths")) process.exitCode = (await printPaths()) ? 0 : 1;
else for (const measure of chosen) Object.assign(results, await measure());

if (process.argv.includes("--json")) console.log(JSON.stringify(results, null, 2));
else {
  for (const [goal, { value, goal: limit, holds, rounds, noisy }] of Object.entries(results)) {
    const verdict = `${holds ? "holds" : "falls short"}${noisy ? ", noisy" : ""}`;
    console.log(`${goal.padEnd(14)} ${value}  (goal ${limit}; ${verdict}; rounds ${rounds.join(" ")})`);
  }
}
