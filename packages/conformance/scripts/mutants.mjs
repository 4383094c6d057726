// Does every check notice the fault it is there for? Puts one mutant after the other into a copy of
// the repository and asks the checks named for it: node packages/conformance/scripts/mutants.mjs
// [M07 M15 …]. Ends with 1 and the names of those that survived.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { allChecks, commandTarget, openIsolation, revisions, runSuite } from "@troupe/conformance";
import { parse } from "yaml";

/** @typedef {import("../src/traceability.ts").Mutant} Mutant */

/** One seed for all, so that a survivor can be looked at again. */
const seed = 1;

/** Many mutants are noticed by what never comes: on a busy machine that is waited for this long. */
const mostSlowness = 4;

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = fileURLToPath(new URL("../mutants/", import.meta.url));
/** @type {readonly Mutant[]} */
const listed = parse(readFileSync(join(folder, "mutants.yaml"), "utf8")).mutants;

const asked = process.argv.slice(2);
const within = listed.filter(({ kills }) => kills.length > 0);
const chosen = within.filter(({ id }) => asked.length === 0 || asked.includes(id));
const unknown = asked.filter((id) => !within.some((mutant) => mutant.id === id));
if (unknown.length > 0) {
  console.error(`there is no mutant ${unknown.join(", ")} with checks for it in mutants/mutants.yaml`);
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), "troupe-mutants-"));
const copy = join(work, "copy");
for (const [signal, code] of /** @type {const} */ ([
  ["SIGINT", 130],
  ["SIGTERM", 143],
])) {
  process.once(signal, () => {
    killTargets();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
    process.exit(code);
  });
}

const begin = performance.now();
/** @type {string[]} */
const survivors = [];
try {
  makeCopy();
  await mustBeSoundAtFirst();
  for (const mutant of chosen) {
    const start = performance.now();
    const missed = await trial(mutant);
    if (missed.length > 0) survivors.push(mutant.id);
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    const names = [...new Set(mutant.kills.map(({ check }) => check))].join(", ");
    console.log(`${mutant.id.padEnd(12)} ${missed.length > 0 ? "SURVIVED" : `killed by ${names}`} (${seconds} s)`);
    for (const line of missed) console.log(`    ${line}`);
  }
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
const seconds = Math.round((performance.now() - begin) / 1_000);
console.log(JSON.stringify({ mutants: chosen.length, killed: chosen.length - survivors.length, survivors, seconds }));
process.exitCode = survivors.length > 0 ? 1 : 0;

/** Dependencies are not copied: links between packages lead to the copy, others to the original. */
function makeCopy() {
  for (const name of ["apps", "packages", "schemas", "scripts", "tsconfig.base.json"]) {
    cpSync(join(root, name), join(copy, name), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
}

/** A copy that does not even run would look as if every mutant were killed. */
async function mustBeSoundAtFirst() {
  build();
  const kills = ["DOC-NAME/a", "FS-PATHS/a", "INB-APPEND/a", "TSK-ID/a", "CFG-NEW/a", "CLAIM-STEP/a"].map((check) => ({
    check,
    revisions,
  }));
  const found = await verdictsOf(kills);
  if (found.every(({ verdict }) => verdict === "pass" || verdict === "na")) return;
  throw new Error(`the copy fails without a mutant: ${JSON.stringify(found)}`);
}

/**
 * @param {Mutant} mutant
 * @returns {Promise<string[]>} what should have been noticed and was not
 */
async function trial({ id, kills }) {
  const patch = join(folder, `${id}.patch`);
  inCopy("git", "apply", patch);
  try {
    build();
    const found = await verdictsOf(kills);
    return kills.flatMap(({ check, revisions }) =>
      revisions.flatMap((revision) => {
        const result = found.find((one) => one.check === check && one.revision === revision);
        if (result?.verdict === "fail" || result?.verdict === "warn") return [];
        return [`${check} in ${revision}: ${result ? `${result.verdict} ${result.message ?? ""}` : "was not run"}`];
      }),
    );
  } catch (error) {
    return [`${error instanceof Error ? error.message : error}`];
  } finally {
    inCopy("git", "apply", "--reverse", patch);
  }
}

/** @param {readonly Pick<Mutant["kills"][number], "check" | "revisions">[]} kills */
async function verdictsOf(kills) {
  const file = join(copy, "packages/conformance/targets/troupe-sessions.yaml");
  const isolation = openIsolation({ path: process.env["PATH"] ?? "", isCutOff: false });
  const target = commandTarget({ file, text: readFileSync(file, "utf8"), isolation });
  const results = [];
  for (const revision of revisions) {
    const names = kills.filter((kill) => kill.revisions.includes(revision)).map(({ check }) => check);
    const mine = allChecks().filter(({ id }) => names.includes(id));
    for (const form of /** @type {const} */ (["quick", "full"])) {
      const checks = mine.filter(({ isSlow = false }) => isSlow === (form === "full"));
      if (checks.length === 0) continue;
      const now = () => new Date();
      const about = { target, isolation, checks, revision, seed, form, mostSlowness };
      const deps = { ...about, version: "0", directory: work, now };
      for await (const line of runSuite(deps)) if (line.kind === "check") results.push({ ...line, revision });
    }
  }
  return results;
}

/** The command is made of the sources: what a mutant does to types elsewhere does not matter. */
function build() {
  inCopy(process.execPath, "apps/cli/scripts/bundle.mjs");
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
function inCopy(program, ...args) {
  try {
    // The copy lies in no repository, also where the temporary directory does.
    execFileSync(program, args, { cwd: copy, env: { ...process.env, GIT_CEILING_DIRECTORIES: work }, stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout?: Buffer, stderr?: Buffer }} */ (error);
    throw new Error(`${args.join(" ")}: ${stdout ?? ""}${stderr ?? error}`);
  }
}

/**
 * A stopped process does not notice a closed pipe; every target has the copy's name in its command
 * line.
 */
function killTargets() {
  const lines = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  for (const line of lines.filter((one) => one.includes(`${copy}/apps`))) {
    try {
      process.kill(Number.parseInt(line, 10), "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
}
