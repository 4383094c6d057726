// Runs scenarios with one client, where the network is the loopback address alone, and writes what
// it found. main.ts starts it.
import { writeFileSync } from "node:fs";
import { messageOf } from "@troupe/protocol";
import { type Checks, openChecks } from "./checks.ts";
import { type InstalledClient, nameOf } from "./client.ts";
import type { Scenario } from "./scenario.ts";
import { besides, scenarios } from "./scenarios/index.ts";
import { openStage, type Stage } from "./stage.ts";

/** What main.ts gives, as JSON. */
export interface Orders {
  readonly client: InstalledClient;
  readonly scenarios: readonly string[];
  /** The folder of the repository. */
  readonly repository: string;
  /** The file for the findings. */
  readonly out: string;
}

const { client, scenarios: wanted, repository, out }: Orders = JSON.parse(process.argv[2] ?? "");
const troupe = `${repository}/apps/cli/dist/main.js`;

async function prove(scenario: Scenario): Promise<Checks["findings"]> {
  const begun = Date.now();
  process.stdout.write(`\n${nameOf(client)}, ${scenario.id}: ${scenario.title}\n`);
  const checks = openChecks(({ what, state, note }) => {
    process.stdout.write(`  ${state.padEnd(14)} ${what}${note === undefined ? "" : `: ${note}`}\n`);
  });
  const stages: Stage[] = [];
  const open = async (more?: Readonly<Record<string, string>>) => {
    const stage = await openStage({ client, troupe, more });
    stages.push(stage);
    return stage;
  };
  try {
    await scenario.run({ ...checks, client, troupe, repository, open });
  } catch (error) {
    await checks.check("runs to its end", () => Promise.reject(error));
  } finally {
    for (const stage of stages) await stage.close();
  }
  process.stdout.write(`  ${((Date.now() - begun) / 1_000).toFixed(0)} s\n`);
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
