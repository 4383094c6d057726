// Proves agents as teammates where the network is the loopback address alone, and writes what it
// found. main.ts starts it.
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@troupe/protocol";
import { type Finding, openChecks } from "../checks.ts";
import { publishedAgents } from "./agents.ts";
import { proveMakes } from "./makes.ts";
import { proveAgent } from "./prove.ts";
import { type InstalledAgent, openLiveStage } from "./stage.ts";

/** What main.ts gives, as JSON. */
export interface AcpOrders {
  /** Each with the place of its package. */
  readonly agents: Readonly<Record<string, string>>;
  /** They work in one team, with others. */
  readonly areTogether: boolean;
  readonly troupe: string;
  readonly repository: string;
  /** The files for the findings, and for what its model was asked. */
  readonly out: string;
  readonly asked: string;
}

const { agents, areTogether, troupe, repository, out, asked }: AcpOrders = JSON.parse(process.argv[2] ?? "");

try {
  const tell = ({ what, state, note }: Finding) =>
    void process.stdout.write(`  ${state.padEnd(14)} ${what}${note === undefined ? "" : `: ${note}`}\n`);
  const checks = openChecks(tell);
  rmSync(asked, { force: true });
  const stage = await openLiveStage({
    agents: Object.fromEntries(Object.entries(agents).map(([name, place]) => [name, installed(name, place)])),
    troupe,
    onAsked: (request) => appendFileSync(asked, `${JSON.stringify(request)}\n`),
  });
  const names = Object.keys(agents);
  const proving = areTogether
    ? proveMakes({ stage, troupe, repository, agents: names, perMember: 3 }, checks)
    : proveAgent(names[0] ?? "", stage, checks);
  await proving.finally(stage.close);
  writeFileSync(out, JSON.stringify(checks.findings));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
process.exit();

function installed(name: string, place: string): InstalledAgent {
  const published = publishedAgents[name];
  if (!published) throw new Error(`there is no agent ${name}`);
  return { ...published, file: join(place, "node_modules", published.program) };
}
