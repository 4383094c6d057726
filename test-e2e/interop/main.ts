// npm run interop: installs published clients and proves Troupe beside them.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "@troupe/protocol";
import { findSolitude, type Solitude } from "./alone.ts";
import type { Finding } from "./checks.ts";
import { clientOf, type InstalledClient, nameOf } from "./client.ts";
import type { Orders } from "./inside.ts";
import { install } from "./install.ts";
import { limitOf } from "./known.ts";
import { scenarios } from "./scenarios/index.ts";

const repository = join(import.meta.dirname, "../../..");
const reports = join(repository, ".reports/interop");

/** One version of each revision. */
const usual = ["claude-code@2.1.41", "claude-code@2.1.327"];

async function main(words: readonly string[]): Promise<number> {
  const options = { scenarios: { type: "string" } } as const;
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const wanted = values.scenarios?.split(",") ?? scenarios.map(({ id }) => id);
  const clients = (positionals.length > 0 ? positionals : usual).map(clientOf);
  const environment = Object.fromEntries(Object.entries(process.env).map(([name, value = ""]) => [name, value]));
  const place = { directory: join(repository, ".tools/interop"), environment };
  const solitude = await findSolitude(environment);
  process.stdout.write(`clients run ${solitude.note}\n`);
  mkdirSync(reports, { recursive: true });
  let failed = 0;
  for (const client of clients) {
    const installed = await install(client, place);
    if ("gone" in installed) process.stdout.write(`\n${nameOf(client)}: ${installed.gone}\n`);
    else failed += await prove(installed.client, wanted, solitude);
  }
  return failed > 0 ? 1 : 0;
}

/** Runs the scenarios with one client; says how many checks failed that nothing explains. */
async function prove(client: InstalledClient, wanted: readonly string[], { before }: Solitude): Promise<number> {
  const out = join(reports, `${nameOf(client)}.json`);
  rmSync(out, { force: true });
  const orders: Orders = { client, scenarios: wanted, repository, out };
  const [program = "", ...args] = [
    ...before,
    process.execPath,
    join(import.meta.dirname, "inside.mjs"),
    JSON.stringify(orders),
  ];
  const child = spawn(program, args, { stdio: "inherit" });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`the run of ${nameOf(client)} ended with ${code}`);
  const found: Record<string, readonly Finding[]> = JSON.parse(readFileSync(out, "utf8"));
  const failures = Object.entries(found).flatMap(([scenario, findings]) =>
    findings
      .filter(({ state }) => state === "fails")
      .map((finding) => ({ finding, limit: limitOf(client, scenario, finding) })),
  );
  for (const { finding, limit } of failures)
    process.stdout.write(`${limit ? `known, on the side of ${limit.side}` : "NOT EXPLAINED"}: ${finding.what}\n`);
  return failures.filter(({ limit }) => limit === undefined).length;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`interop: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
