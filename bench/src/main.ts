import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { bridging } from "./bridging.ts";
import { crowding } from "./crowding.ts";
import { durability } from "./durability.ts";
import { forking } from "./forking.ts";
import { describedIn, htmlOf, machineHere } from "./html.ts";
import { idling, thousand } from "./idling.ts";
import { inboxReading } from "./inbox-reading.ts";
import { locking } from "./locking.ts";
import { looping } from "./looping.ts";
import { mcpWaking } from "./mcp-waking.ts";
import { type Result, verdictOf } from "./measure.ts";
import { page } from "./page.ts";
import { panes } from "./panes.ts";
import { printPaths } from "./paths.ts";
import { postgres } from "./postgres.ts";
import { scaling } from "./scaling.ts";
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
  scaling,
  thousand,
  typing,
  page,
  trees,
  postgres,
  bridging,
];

const given = process.argv.slice(2);
const known = [...measurements.map(({ name }) => name), "paths", "--json", "--html"];
const unknown = given.filter((word) => !known.includes(word));
if (unknown.length > 0) {
  console.error(`bench knows no ${unknown.join(", ")}: choose any of ${known.join(", ")}`);
  process.exit(2);
}
const named = measurements.filter(({ name }) => given.includes(name));
const chosen = named.length > 0 ? named : measurements;
const results: Record<string, Result> = {};
if (given.includes("paths")) process.exitCode = (await printPaths()) ? 0 : 1;
else for (const measure of chosen) Object.assign(results, await measure());

if (given.includes("--html")) {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const page = fileURLToPath(new URL("../../.reports/bench.html", import.meta.url));
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, htmlOf(results, describedIn(readme), { machine: machineHere(), at: new Date() }));
  console.log(page);
} else if (given.includes("--json")) console.log(JSON.stringify(results, null, 2));
else {
  for (const [goal, result] of Object.entries(results)) {
    const { value, goal: limit, rounds } = result;
    console.log(`${goal.padEnd(14)} ${value}  (goal ${limit}; ${verdictOf(result)}; rounds ${rounds.join(" ")})`);
  }
}
