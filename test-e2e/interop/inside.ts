// Runs scenarios with one client, where the network is the loopback address alone, and writes what
// it found. main.ts starts it.
import { mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "@troupe/protocol";
import { type Checks, openChecks } from "./checks.ts";
import { type InstalledClient, nameOf } from "./client.ts";
import { keepEvidence } from "./evidence.ts";
import type { Scenario } from "./scenario.ts";
import { besides, scenarios } from "./scenarios/index.ts";
import { openStage, type Stage, type StageDeps } from "./stage.ts";

/** What main.ts gives, as JSON. */
export interface Orders {
  readonly client: InstalledClient;
  readonly scenarios: readonly string[];
  readonly minutes: number;
  /** The folder of the repository. */
  readonly repository: string;
  /** The file for the findings. */
  readonly out: string;
  /** An empty place on a server of PostgreSQL, reached by a socket that is a file. */
  readonly database?: string | undefined;
}

const { client, scenarios: wanted, minutes, repository, out, database }: Orders = JSON.parse(process.argv[2] ?? "");
const troupe = `${repository}/apps/cli/dist/main.js`;

async function prove(scenario: Scenario): Promise<Checks["findings"]> {
  const begun = Date.now();
  const since = () => `${((Date.now() - begun) / 1_000).toFixed(0)} s`.padStart(5);
  process.stdout.write(`\n${nameOf(client)}, ${scenario.id}: ${scenario.title}\n`);
  const stages: Stage[] = [];
  const checks = openChecks(async ({ what, state, note }) => {
    process.stdout.write(`  ${since()} ${state.padEnd(14)} ${what}${note === undefined ? "" : `: ${note}`}\n`);
    if (state !== "fails") return;
    const kept = await keepEvidence(stages, mkdtempSync(join(dirname(out), `${nameOf(client)}-${scenario.id}-`)));
    process.stdout.write(`                 how it was then: ${kept}\n`);
  });
  const open = async (more?: Pick<StageDeps, "more" | "answer">) => {
    const stage = await openStage({ client, troupe, ...more });
    stages.push(stage);
    return stage;
  };
  try {
    await scenario.run({ ...checks, client, minutes, troupe, repository, database, open });
  } catch (error) {
    await checks.check("runs to its end", () => Promise.reject(error));
  } finally {
    for (const stage of stages) await stage.close();
  }
  process.stdout.write(`  ${since()}\n`);
  return checks.findings;
}

try {
  const found: Record<string, Checks["findings"]> = {};
  for (const scenario of [...scenarios, ...besides])
    if (wanted.includes(scenario.id)) found[scenario.id] = await prove(scenario);
  writeFileSync(out, JSON.stringify(found));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
// What a client left open must not keep this from ending.
process.exit();
