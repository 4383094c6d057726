import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const packageDir = join(import.meta.dirname, "../packages/conformance");
const run = promisify(execFile);

let project: string;
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "troupe-suite-"));
  await run("pnpm", ["pack", "--pack-destination", project], { cwd: packageDir });
  const [tarball = ""] = readdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "implementer", private: true, type: "module" }));
  // Dependencies come from the workspace, so that npm needs no network.
  const dependencies = ["ajv", "yaml"].map((name) => realpathSync(join(packageDir, "node_modules", name)));
  const flags = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  await run("npm", ["install", ...flags, join(project, tarball), ...dependencies], { cwd: project });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test("the packed suite judges a program and a directory without the rest of this repository", async () => {
  const fixture: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(join(packageDir, "fixtures/2.1.326-tasks.json"), "utf8"),
  );
  for (const [path, text] of Object.entries(fixture)) {
    mkdirSync(join(project, "left", dirname(path)), { recursive: true });
    writeFileSync(join(project, "left", path), text);
  }
  writeFileSync(
    join(project, "program.js"),
    `import { allChecks, adapterTarget, gradeDirectory, html, openIsolation, runSuite } from "@troupe/conformance";
const now = () => new Date();
const isolation = openIsolation({ path: process.env.PATH, isCutOff: false });
const target = adapterTarget({ argv: ["node", ${JSON.stringify(join(packageDir, "miniatures/always-ok.mjs"))}], cwd: process.cwd(), isolation });
const about = { target, isolation, checks: allChecks(), revision: "2026-11", form: "quick", version: "0", directory: process.cwd() };
const lines = [];
for await (const line of runSuite({ ...about, seed: 7, only: ["DOC-NAME", "TSK-ID"], now })) lines.push(line);
const graded = [...gradeDirectory({ root: "left", revision: "2026-11", version: "0", now })];
console.log(JSON.stringify({ run: lines.at(-1), graded: graded.at(-1), page: html(lines).length }));
`,
  );
  const { stdout } = await run(process.execPath, ["program.js"], { cwd: project });
  const { run: judged, graded, page } = JSON.parse(stdout);
  expect(judged).toMatchObject({ kind: "footer", exitCode: 1, counts: { error: 0 } });
  expect(judged.counts.fail).toBeGreaterThan(3);
  expect(graded).toMatchObject({ kind: "footer", exitCode: 0, counts: { fail: 0 } });
  expect(page).toBeGreaterThan(1_000);
});
