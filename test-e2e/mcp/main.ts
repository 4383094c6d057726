// npm run mcp:conformance: the published checks of MCP servers, and the Inspector, at ours.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@troupe/protocol";
import { npmInstall } from "../npm.ts";
import { conformanceOf, type Expected } from "./conformance.ts";
import { inspect } from "./inspector.ts";
import { openStage, repository, serveOverHttp, surroundings, withToken } from "./stage.ts";

/** Exact versions: npm on an old Node chooses an older one that does not say what it needs. */
const wanted = {
  [`node-${process.platform}-${process.arch}`]: "22.23.3",
  "@modelcontextprotocol/conformance": "0.1.16",
  "conformance-next": "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
  "@modelcontextprotocol/inspector": "2.12.0",
};
const place = join(repository, ".tools/mcp");
const packages = Object.entries(wanted).map(([name, version]) => `${name}@${version}`);

async function install(): Promise<void> {
  const mark = join(place, "node_modules/@modelcontextprotocol/inspector/package.json");
  if (existsSync(mark) && JSON.parse(readFileSync(mark, "utf8")).version === wanted["@modelcontextprotocol/inspector"])
    return;
  process.stdout.write(`installing ${packages.join(" ")}\n`);
  const { code, stderr, failure } = await npmInstall(place, packages, surroundings);
  if (code === 0) return;
  const lines = stderr.split("\n").filter((line) => line.startsWith("npm error"));
  throw new Error(
    `NOTHING WAS CHECKED: npm could not install the checks (${failure ?? lines.slice(0, 4).join("; ")}). They need the network: see that npm reaches its registry, run again`,
  );
}

async function main(): Promise<number> {
  await install();
  const node = join(place, "node_modules", `node-${process.platform}-${process.arch}`, "bin/node");
  const expected: readonly Expected[] = JSON.parse(
    readFileSync(join(repository, "test-e2e/mcp/expected.json"), "utf8"),
  );
  const stage = await openStage();
  const served = await serveOverHttp(stage, "--lead");
  const open = await withToken(served);
  const strange: string[] = [];
  try {
    for (const one of expected) {
      const found = await conformanceOf(one, open, { node, packages: place, environment: stage.environment });
      strange.push(...found.strange);
      process.stdout.write(`MCP ${one.version}: ${found.passed} checks passed, ${found.explained} fail as expected\n`);
    }
    await open.end();
    await served.end();
    const watched = await serveOverHttp(stage, "--observe");
    const inspector = join(place, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    strange.push(...(await inspect(stage, watched, { node, inspector }).finally(watched.end)));
    process.stdout.write("the Inspector was asked\n");
  } finally {
    await open.end();
    await served.end();
    stage.end();
  }
  for (const one of strange) process.stdout.write(`NOT AS EXPECTED: ${one}\n`);
  process.stdout.write(`${strange.length} not as expected\n`);
  return strange.length > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`mcp:conformance: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
