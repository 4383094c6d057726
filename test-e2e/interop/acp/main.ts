import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProcess } from "@troupe/process";
import { npmInstall } from "../../npm.ts";
import type { Solitude } from "../alone.ts";
import type { Finding } from "../checks.ts";
import { publishedAgents } from "./agents.ts";
import type { AcpOrders } from "./inside.ts";
import { type AgentResult, acpPage, limitOf, together } from "./page.ts";

export interface AcpDeps {
  readonly repository: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly solitude: Solitude;
  /** Keeps what was found, and writes the page. */
  readonly isRecorded: boolean;
}

const agentsIn = (name: string): readonly string[] => (name === together ? ["gemini", "codebuddy"] : [name]);
const wantedOf = (name: string): string =>
  agentsIn(name)
    .map((agent) => publishedAgents[agent]?.wanted ?? "")
    .join(", ");

/** `npm run interop -- acp [AGENT…]`: how many checks failed that nobody has looked into. */
export async function runAcp(names: readonly string[], deps: AcpDeps): Promise<number> {
  const known = [...Object.keys(publishedAgents), together];
  const strange = names.find((name) => !known.includes(name));
  if (strange !== undefined) throw new Error(`there is no agent ${strange}: choose among ${known.join(", ")}`);
  let unexplained = 0;
  for (const agent of names.length > 0 ? names : known) {
    const findings = await findingsOf(agent, deps);
    for (const finding of findings.filter(({ state }) => state === "fails"))
      if (!limitOf(agent, finding)) {
        unexplained += 1;
        process.stdout.write(`${agent}, NOT EXPLAINED: ${finding.what}\n`);
      }
    if (deps.isRecorded) keep(deps.repository, agent, findings);
  }
  return unexplained;
}

/** Installs the agent, and proves it in a process that is alone. */
async function findingsOf(name: string, deps: AcpDeps): Promise<readonly Finding[]> {
  const { repository, environment, solitude } = deps;
  const agents: Record<string, string> = {};
  for (const agent of agentsIn(name)) agents[agent] = await installed(agent, deps);
  const reports = join(repository, ".reports/interop");
  mkdirSync(reports, { recursive: true });
  const out = join(reports, `acp-${name}.json`);
  rmSync(out, { force: true });
  const orders: AcpOrders = {
    agents,
    areTogether: name === together,
    troupe: join(repository, "apps/cli/dist/main.js"),
    repository,
    out,
    asked: join(reports, `acp-${name}-asked.jsonl`),
  };
  process.stdout.write(`\n${wantedOf(name)}\n`);
  const inside = [process.execPath, join(import.meta.dirname, "acp/inside.mjs"), JSON.stringify(orders)];
  const [first = "", ...args] = [...solitude.before, ...inside];
  const running = startProcess({ program: first, args, cwd: repository, environment });
  running.output.pipe(process.stdout, { end: false });
  running.errors.pipe(process.stderr, { end: false });
  const { code, signal } = await running.ended;
  if (code !== 0) throw new Error(`the run with ${name} ended with ${code ?? signal}`);
  return JSON.parse(readFileSync(out, "utf8"));
}

/** Where the package of an agent lies, which is installed if it is not there. */
async function installed(agent: string, { repository, environment }: AcpDeps): Promise<string> {
  const { wanted = "", program = "" } = publishedAgents[agent] ?? {};
  const place = join(repository, ".tools/interop", wanted.replaceAll("/", "+"));
  if (!existsSync(join(place, "node_modules", program))) {
    process.stdout.write(`installing ${wanted}\n`);
    const { code, stderr, failure } = await npmInstall(place, [wanted], environment);
    if (code !== 0) throw new Error(`${wanted} could not be installed: ${failure ?? stderr.slice(0, 500)}`);
  }
  return place;
}

function keep(repository: string, agent: string, found: readonly Finding[]): void {
  const file = join(repository, "test-e2e/interop/acp/results.json");
  const before: readonly AgentResult[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const day = new Date().toISOString().slice(0, 10);
  const wanted = wantedOf(agent);
  const results = [...before.filter((one) => one.agent !== agent), { agent, wanted, day, found }];
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(repository, "docs/interop-acp.md"), acpPage(results));
}
