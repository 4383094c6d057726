// What `npm start`, `npm test` and `npm run <goal>` do.
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { check } from "./check.mjs";
import { endWithChildren, runApp, runTool } from "./children.mjs";
import { lastLine, readOutcome } from "./report.mjs";
import { build, partPath, root, SetupFailed, setUp } from "./setup.mjs";

/** @typedef {(env: NodeJS.ProcessEnv, args: readonly string[]) => Promise<number>} Goal */

const selfTest = ["apps/cli/dist/main.js", "conformance", "run", "--target", "self", "--out", ".reports/conformance"];

const wholeTarget = "packages/conformance/targets/troupe-sessions.yaml";
const sessionTest = selfTest.map((word) => (word === "self" ? wholeTarget : word));

/** @type {Readonly<Record<string, Goal>>} */
const goals = {
  start: (env, args) => built(env, () => node(["apps/cli/dist/main.js", "demo", "--keep", ...args])),
  troupe: (env, args) =>
    built(env, () => node([join(root, "apps/cli/dist/main.js"), ...args], process.env["INIT_CWD"] ?? process.cwd())),
  pack: (env, args) => built(env, () => node(["scripts/pack.mjs", ...args])),
  record: (env) => built(env, () => node(["scripts/record-demo.mjs"])),
  "record:page": (env) => built(env, () => node(["scripts/record-page.mjs"])),
  bench: (env, args) => built(env, () => node(["bench/dist/main.js", ...args])),
  thousand: (env, args) => built(env, () => node(["bench/dist/thousand.js", ...args])),
  conformance: (env, args) => built(env, () => node([...selfTest, ...args])),
  sessions: (env, args) => built(env, () => node([...sessionTest, ...args])),
  postgres: (env, args) =>
    built(env, () => test({ TROUPE_CONFORMANCE: "whole", ...env }, ["postgres/conformance", ...args])),
  kills: (env, args) =>
    built(env, () => {
      const seed = String(Date.now() % 1_000_000_000);
      const kills = { TROUPE_KILLS: "200", TROUPE_JOB_KILLS: "50", TROUPE_KILLS_SEED: seed };
      const killing = { ...kills, TROUPE_MESSAGES: "1000", ...env };
      return test(killing, ["runtime/kill", "runtime/jobs-kill", "team/thousand", ...args]);
    }),
  spawns: (env, args) =>
    built(env, () => {
      const seed = String(Date.now() % 1_000_000_000);
      const killing = { TROUPE_SPAWNS: "200", TROUPE_SPAWNS_SEED: seed, TROUPE_STEPS: "all", ...env };
      return test(killing, ["backends/spawn-kills", "team/verified", ...args]);
    }),
  nemesis: (env, args) =>
    built(env, () => {
      const options = { minutes: { type: /** @type {const} */ ("string"), default: "30" } };
      const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
      const seconds = 60 * Number(values.minutes);
      if (!(seconds > 0)) throw new SetupFailed(`--minutes is ${values.minutes}: give a number above 0`);
      const seed = String(Date.now() % 1_000_000_000);
      const failing = { TROUPE_NEMESIS: `${seconds}`, TROUPE_NEMESIS_SEED: seed, ...env };
      return test(failing, ["postgres/nemesis", ...positionals]);
    }),
  fuzz: (env, args) =>
    built(env, () => {
      const fuzzed = { TROUPE_FUZZ: "2000000", TROUPE_FUZZ_SEED: String(Date.now() % 1_000_000_000), ...env };
      return test(fuzzed, ["permissions/fuzz", "permissions/shell/oracle", ...args]);
    }),
  trees: (env, args) =>
    built(env, () => test({ TROUPE_TREES: "20000", ...env }, ["backends/trees", "worktree/", ...args])),
  mutants: (env, args) => built(env, () => node(["packages/conformance/scripts/mutants.mjs", ...args])),
  matrix: (env, args) =>
    built(env, async () => {
      const code = await node(["test-e2e/bundle.mjs"]);
      return code === 0 ? node(["packages/conformance/scripts/matrix.mjs", ...args]) : code;
    }),
  soak: (env, args) => built(env, () => node(["test-e2e/store/soak.mjs", ...args])),
  interop: (env, args) => built(env, () => bundled("interop/main.mjs", args)),
  mcp: (env, args) => built(env, () => bundled("mcp/main.mjs", args)),
  schemas: (env, args) => built(env, () => node(["scripts/write-schemas.mjs", ...args])),
  format: async (env, args) => (await runTool("biome", ["check", "--write", ...args], { env, cwd: root })).code,
  test: (env, args) => built(env, () => test(env, args), lastLine({ passed: 0, failed: 1, skipped: 0 })),
  check,
};

/**
 * Sets up, works towards the goal, and leaves its exit code.
 * @param {string | undefined} name
 * @param {readonly string[]} args
 */
export async function reach(name, args) {
  const goal = name !== undefined && Object.hasOwn(goals, name) ? goals[name] : undefined;
  if (!goal) {
    console.error(`usage: node scripts/run.mjs ${Object.keys(goals).join("|")} [arguments]`);
    process.exitCode = 2;
    return;
  }
  endWithChildren();
  try {
    process.exitCode = await goal(await setUp(), args);
  } catch (error) {
    console.error(error instanceof SetupFailed ? `set-up failed: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
const node = (args, cwd = root) => runApp(process.execPath, args, cwd);

/**
 * A program of test-e2e in its bundled form.
 * @param {string} path
 * @param {readonly string[]} args
 */
async function bundled(path, args) {
  const code = await node(["test-e2e/bundle.mjs"]);
  return code === 0 ? node([`test-e2e/dist/${path}`, ...args]) : code;
}

/**
 * What comes next when everything is built; else why it is not.
 * @param {NodeJS.ProcessEnv} env
 * @param {() => Promise<number>} next
 * @param {string} [line] the last one to print when the build failed
 */
async function built(env, next, line) {
  const { code, output } = await build(env);
  if (code === 0) return next();
  process.stderr.write(output);
  if (line) console.log(line);
  return 1;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} args
 */
async function test(env, args) {
  // Two runs at once must not read each other's report.
  const part = partPath(".json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${part}`];
  const { code } = await runTool("vitest", ["run", ...reporters, ...args], { env, cwd: root });
  const outcome = readOutcome(part, code);
  try {
    mkdirSync(join(root, ".reports"), { recursive: true });
    renameSync(part, join(root, ".reports", "vitest.json"));
  } catch {
    // Without a report the outcome has failed already, and says so; an older one must not pass for
    // this run's.
    rmSync(join(root, ".reports", "vitest.json"), { force: true });
  }
  for (const problem of outcome.problems) console.error(problem);
  for (const line of outcome.notRun) console.log(line);
  console.log(lastLine(outcome));
  return outcome.failed > 0 ? 1 : 0;
}
