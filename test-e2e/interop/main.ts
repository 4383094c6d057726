// npm run interop: installs published clients and proves Troupe beside them.
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { startProcess } from "@troupe/process";
import { messageOf } from "@troupe/protocol";
import { runAcp } from "./acp/main.ts";
import { assertPrograms, findSolitude, type Solitude } from "./alone.ts";
import { type Client, clientOf, type InstalledClient, nameOf } from "./client.ts";
import type { Orders } from "./inside.ts";
import { install, newest as newestIn } from "./install.ts";
import { joined } from "./kept.ts";
import { limitOf } from "./known.ts";
import { interopPage, type Result } from "./page.ts";
import { besides, scenarios } from "./scenarios/index.ts";

const repository = join(import.meta.dirname, "../../..");
const reports = join(repository, ".reports/interop");
const kept = join(repository, "test-e2e/interop/results");

/** One version of each revision. */
const usual = ["claude-code@2.1.41", "claude-code@2.1.327"];
const usage = `usage: npm run interop -- [CLIENT@VERSION…] [--scenarios 1,2] [--minutes 2] [--together] [--record | --page]
       npm run interop -- --probe newest|VERSION
       npm run interop -- acp [AGENT…|five] [--record]
without clients: ${usual.join(" ")}
`;
const environment = Object.fromEntries(Object.entries(process.env).map(([name, value = ""]) => [name, value]));

async function main(words: readonly string[]): Promise<number> {
  const flag = { type: "boolean" } as const;
  const options = {
    scenarios: { type: "string" },
    minutes: { type: "string", default: "2" },
    together: flag,
    record: flag,
    page: flag,
    help: flag,
    probe: { type: "string" },
  } as const;
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  if (values.help) process.stdout.write(usage);
  if (values.help) return 0;
  if (values.page) return writePage();
  if (positionals[0] === "acp") {
    const acp = {
      repository,
      environment,
      solitude: await findSolitude(environment),
      isRecorded: values.record === true,
    };
    return (await runAcp(positionals.slice(1), acp)) > 0 ? 1 : 0;
  }
  const known = scenarios.map(({ id }) => id);
  const wanted = values.probe ? ["probe"] : (values.scenarios?.split(",") ?? known);
  const possible = [...known, ...besides.map(({ id }) => id)];
  const strange = wanted.find((id) => !possible.includes(id));
  if (strange !== undefined) throw new Error(`there is no scenario ${strange}: choose among ${possible.join(", ")}`);
  const probed = values.probe && `claude-code@${values.probe === "newest" ? await newest() : values.probe}`;
  const clients = (probed ? [probed] : positionals.length > 0 ? positionals : usual).map(clientOf);
  await assertPrograms(environment);
  const solitude = await findSolitude(environment);
  const wish = { scenarios: wanted, minutes: Number(values.minutes) };
  process.stdout.write(`clients run ${solitude.note}\n`);
  mkdirSync(reports, { recursive: true });
  let unexplained = 0;
  const one = async (client: Client) => {
    const result = await resultOf(client, wish, solitude);
    unexplained += tellFailures(client, result);
    if (values.record) keep(result);
  };
  // A run with each client has a home, a model and processes of its own.
  if (values.together) await Promise.all(clients.map(one));
  else for (const client of clients) await one(client);
  if (values.record) writePage();
  return unexplained > 0 ? 1 : 0;
}

type Wish = Pick<Orders, "scenarios" | "minutes">;

const newest = () => newestIn({ kind: "claude-code" }, environment);

async function resultOf(client: Client, wish: Wish, solitude: Solitude): Promise<Result> {
  const head = { client: nameOf(client), day: new Date().toISOString().slice(0, 10), solitude: solitude.note };
  const installed = await install(client, { directory: join(repository, ".tools/interop"), environment });
  if ("gone" in installed) return { ...head, found: {}, gone: installed.gone };
  return { ...head, found: await prove(installed.client, wish, solitude) };
}

/** Runs the scenarios with one client, in a process that is alone. */
async function prove(client: InstalledClient, wish: Wish, { before }: Solitude): Promise<Result["found"]> {
  const out = join(reports, `${nameOf(client)}.json`);
  rmSync(out, { force: true });
  const needsServer = scenarios.some(({ id, isOnServer }) => isOnServer && wish.scenarios.includes(id));
  const server = needsServer ? await startServer() : undefined;
  const orders: Orders = { ...wish, client, repository, out, database: server?.url };
  const inside = [process.execPath, join(import.meta.dirname, "inside.mjs"), JSON.stringify(orders)];
  const [program = "", ...args] = [...before, ...inside];
  const running = startProcess({ program, args, cwd: repository, environment });
  running.output.pipe(process.stdout, { end: false });
  running.errors.pipe(process.stderr, { end: false });
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void running.end().then(() => process.exit(130)));
  const { code, signal } = await running.ended;
  await server?.stop();
  if (code !== 0) throw new Error(`the run of ${nameOf(client)} ended with ${code ?? signal}`);
  return JSON.parse(readFileSync(out, "utf8"));
}

/** A server of PostgreSQL, which ends with this process: within the namespaces none can start. */
async function startServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const args = [join(import.meta.dirname, "../postgres/serve.mjs")];
  const running = startProcess({ program: process.execPath, args, cwd: repository, environment, hasInput: true });
  running.errors.pipe(process.stderr, { end: false });
  const [line] = await once(createInterface(running.output), "line");
  const { url, missing } = JSON.parse(line) as { readonly url?: string; readonly missing?: string };
  if (url === undefined) throw new Error(`the live proof needs a server of PostgreSQL: ${missing}`);
  return {
    url,
    async stop() {
      running.input?.end();
      await running.ended;
    },
  };
}

/** Says of each check that failed whose side it is; how many nobody has looked into. */
function tellFailures(client: Client, { found, gone }: Result): number {
  if (gone !== undefined) process.stdout.write(`\n${nameOf(client)}: ${gone}\n`);
  let unexplained = 0;
  for (const [scenario, findings] of Object.entries(found))
    for (const finding of findings.filter(({ state }) => state === "fails")) {
      const limit = limitOf(client, scenario, finding);
      if (!limit) unexplained += 1;
      const whose = limit ? `known, on the side of the ${limit.side}` : "NOT EXPLAINED";
      process.stdout.write(`${nameOf(client)}, ${whose}: ${finding.what}\n`);
    }
  return unexplained;
}

/** What was found stays beside what earlier runs found in other scenarios. */
function keep(result: Result): void {
  mkdirSync(kept, { recursive: true });
  const file = join(kept, `${result.client}.json`);
  const before: Result | undefined = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  writeFileSync(file, `${JSON.stringify(joined(before, result), null, 2)}\n`);
}

/** The page of all that is kept, written anew. */
function writePage(): number {
  writeFileSync(join(repository, "docs/interop.md"), interopPage(scenarios, allKept()));
  return 0;
}

const allKept = (): readonly Result[] =>
  readdirSync(kept).map((name) => JSON.parse(readFileSync(join(kept, name), "utf8")));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`interop: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
