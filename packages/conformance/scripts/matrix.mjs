// Judges the implementations of targets/implementations.yaml, and writes
// docs/conformance/matrix.json and the page of it: node packages/conformance/scripts/matrix.mjs
// [NAME…] [--only ID] [--revision R]. With --only nothing is written: it shows one result again.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { columnOf, matrix, readReport } from "@troupe/conformance";
import { parse } from "yaml";

/**
 * @typedef {{
 *   name: string,
 *   target: string,
 *   npm?: string,
 *   hasNetwork?: boolean,
 *   git?: { url: string, commit: string },
 *   beyond?: Record<string, string>,
 *   notes: string[],
 * }} Implementation
 */
/** @typedef {{ name: string, column: import("@troupe/conformance").MatrixColumn }} Kept */

/** One for all, so that the command on the page finds again what it tells. */
const seed = "1";
const node22 = `node-${process.platform}-${process.arch}@22.23.3`;

const root = fileURLToPath(new URL("../../..", import.meta.url));
const tools = join(root, ".tools/matrix");
const data = join(root, "docs/conformance/matrix.json");

/** @type {readonly Implementation[]} */
const listed = parse(readFileSync(new URL("../targets/implementations.yaml", import.meta.url), "utf8"));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, revision: { type: "string" } },
});
const unknown = positionals.filter((name) => !listed.some((one) => one.name === name));
if (unknown.length > 0) {
  console.error(`there is no ${unknown.join(", ")} in targets/implementations.yaml; there are ${names(listed)}`);
  process.exit(2);
}
const chosen = listed.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
/** @type {string[]} */
const failed = [];
for (const implementation of chosen) {
  try {
    const command = targetOf(implementation);
    if (values.only) judge(implementation, command, ["--only", values.only], "inherit");
    else keep(implementation, command);
  } catch (error) {
    failed.push(implementation.name);
    console.error(`${implementation.name} was NOT judged: ${error instanceof Error ? error.message : error}`);
  }
}
process.exitCode = failed.length > 0 ? 1 : 0;

/** @param {readonly { name: string }[]} those */
function names(those) {
  return those.map(({ name }) => name).join(", ");
}

/**
 * The command that is judged; what it needs is installed first.
 * @param {Implementation} implementation
 */
function targetOf({ name, target, npm, git }) {
  const installed = join(tools, name);
  if (npm) npmInstall(installed, npm);
  if (git) checkout(installed, git);
  const node = join(tools, "node22");
  if (target.includes("{node22}")) npmInstall(node, node22);
  const program = join(node, "node_modules", node22.slice(0, node22.indexOf("@")), "bin/node");
  const words = { name, tools, installed, node22: program };
  return target.replace(/\{(\w+)\}/g, (word, key) =>
    Object.hasOwn(words, key) ? words[/** @type {"name"} */ (key)] : word,
  );
}

/**
 * Without running a script of the package; what is there in this version stays.
 * @param {string} place
 * @param {string} wanted
 */
function npmInstall(place, wanted) {
  const mark = join(place, wanted.replace(/[^\w@.-]/g, "_"));
  if (existsSync(mark)) return;
  empty(place);
  writeFileSync(join(place, "package.json"), '{ "private": true }\n');
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--no-update-notifier"];
  run("npm", ["install", ...quiet, wanted], place);
  writeFileSync(mark, "");
}

/**
 * @param {string} place
 * @param {{ url: string, commit: string }} source
 */
function checkout(place, { url, commit }) {
  if (existsSync(join(place, ".git", `at-${commit}`))) return;
  empty(place);
  run("git", ["init", "--quiet"], place);
  run("git", ["fetch", "--quiet", "--depth", "1", url, commit], place);
  run("git", ["checkout", "--quiet", "FETCH_HEAD"], place);
  writeFileSync(join(place, ".git", `at-${commit}`), "");
}

/** @param {string} place */
function empty(place) {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(program, args, cwd) {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8", timeout: 600_000 });
  if (status === 0) return;
  const why = error?.message ?? stderr.trim().split("\n").slice(-3).join("; ");
  throw new Error(`${program} ${args.join(" ")} failed (${why}); it needs the network once`);
}

/**
 * A failure of the target is a result; only a run that did not come to an end is an error.
 * @param {Implementation} implementation
 * @param {string} command
 * @param {readonly string[]} words
 * @param {"inherit" | "ignore"} output
 */
function judge({ name, hasNetwork }, command, words, output) {
  const asked = ["conformance", "run", "--target", command, "--seed", seed, ...words];
  const revision = values.revision ? ["--revision", values.revision] : [];
  // A command that makes a network of its own must be let.
  const network = hasNetwork ? ["--network"] : [];
  const args = [join(root, "apps/cli/dist/main.js"), ...asked, ...revision, ...network];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", output, "inherit"] });
  if (status !== 0 && status !== 1) throw new Error(`the suite ended with ${status} on ${name}`);
}

/**
 * @param {Implementation} implementation
 * @param {string} command
 */
function keep(implementation, command) {
  const { name, notes, beyond = {} } = implementation;
  const out = join(root, ".reports/matrix", name);
  if (!values.revision) rmSync(out, { recursive: true, force: true });
  judge(implementation, command, ["--out", out], "ignore");
  const about = { notes, command: `npm run conformance:matrix -- ${name}` };
  for (const revision of readdirSync(out).sort()) {
    const lines = readReport(readFileSync(join(out, revision, "report.ndjson"), "utf8"));
    const column = columnOf(withoutBeyond(lines, beyond), about);
    if (!column) throw new Error(`its report of ${revision} has no header`);
    write({ name, column });
    const { pass = 0, fail = 0, warn = 0, error = 0 } = column.counts;
    console.log(
      `${name} ${revision}: ${pass} passed, ${fail} failed, ${warn} warned, ${error} errors; ${column.standing.words}`,
    );
  }
}

/**
 * What the adapter could not bring about is no fault of the implementation, and no merit.
 * @param {readonly import("@troupe/conformance").ReportLine[]} lines
 * @param {Readonly<Record<string, string>>} beyond the reason for each check
 * @returns {readonly import("@troupe/conformance").ReportLine[]}
 */
function withoutBeyond(lines, beyond) {
  const isBeyond = (/** @type {import("@troupe/conformance").CheckResult} */ { check, verdict }) =>
    (verdict === "fail" || verdict === "warn") && Object.hasOwn(beyond, check);
  const found = lines.flatMap((line) => (line.kind === "check" && isBeyond(line) ? [line.verdict] : []));
  const count = (/** @type {string} */ verdict) => found.filter((one) => one === verdict).length;
  return lines.map((line) => {
    if (line.kind === "check" && isBeyond(line))
      return { ...line, verdict: "untestable", message: beyond[line.check] ?? "" };
    if (line.kind !== "footer") return line;
    const { fail, warn, untestable } = line.counts;
    const moved = { fail: fail - count("fail"), warn: warn - count("warn"), untestable: untestable + found.length };
    return { ...line, counts: { ...line.counts, ...moved } };
  });
}

/**
 * Puts a column in the place of its older self, in the order of the list.
 * @param {Kept} next
 */
function write(next) {
  /** @type {readonly Kept[]} */
  const known = existsSync(data) ? JSON.parse(readFileSync(data, "utf8")) : [];
  const others = known.filter(({ name, column }) => name !== next.name || column.revision !== next.column.revision);
  const place = (/** @type {Kept} */ { name }) => listed.findIndex((one) => one.name === name);
  const kept = [...others, next]
    .filter((one) => place(one) >= 0)
    .sort((a, b) => place(a) - place(b) || a.column.revision.localeCompare(b.column.revision));
  // A line for each column, so that a change shows whose it is.
  writeFileSync(data, `[\n${kept.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`);
  writeFileSync(data.replace(/json$/, "html"), matrix(kept.map(({ column }) => column)));
}
