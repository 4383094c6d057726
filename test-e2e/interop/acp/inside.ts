// Proves agents as teammates where the network is the loopback address alone, and writes what it
// found. main.ts starts it.
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { messageOf } from "@troupe/protocol";
import { type Finding, openChecks } from "../checks.ts";
import { proveAgent } from "./prove.ts";
import { openLiveStage } from "./stage.ts";

/** What main.ts gives, as JSON. */
export interface AcpOrders {
  readonly agent: string;
  /** Where its package is installed. */
  readonly place: string;
  readonly troupe: string;
  /** The files for the findings, and for what its model was asked. */
  readonly out: string;
  readonly asked: string;
}

const { agent, place, troupe, out, asked }: AcpOrders = JSON.parse(process.argv[2] ?? "");

try {
  const tell = ({ what, state, note }: Finding) =>
    void process.stdout.write(`  ${state.padEnd(14)} ${what}${note === undefined ? "" : `: ${note}`}\n`);
  const checks = openChecks(tell);
  rmSync(asked, { force: true });
  const stage = await openLiveStage({
    agents: { [agent]: place },
    troupe,
    onAsked: (_, request) => appendFileSync(asked, `${JSON.stringify(request)}\n`),
  });
  await proveAgent(agent, stage, checks).finally(stage.close);
  writeFileSync(out, JSON.stringify(checks.findings));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
process.exit();
