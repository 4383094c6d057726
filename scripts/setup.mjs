// From a fresh clone to installed dependencies: pnpm of the exact version into .tools/, then a
// frozen install where one is needed.
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runTool } from "./children.mjs";
import { installOnce } from "./installed.mjs";
import { inTurn, isAlive } from "./turn.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const toolsDir = join(root, ".tools");

/**
 * Everything the goals need, installed.
 * @returns {Promise<NodeJS.ProcessEnv>} the environment tools run in
 */
export async function setUp() {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const version = pnpmVersion(packageManager);
  const pnpmDir = join(toolsDir, `pnpm-${version}`);
  const env = toolEnvironment(process.env, join(pnpmDir, "node_modules", ".bin"));

  sweep();
  await inTurn(toolsDir, async () => {
    if (!existsSync(pnpmDir)) await installPnpm(version, pnpmDir, env);
    await installOnce(root, version, async () => {
      console.error("setting up: packages, which takes a minute the first time");
      const flags = ["--frozen-lockfile", "--prefer-offline", "--reporter=append-only", "--loglevel=warn"];
      const { code } = await runTool("pnpm", ["install", ...flags], { env, cwd: root, output: 2 });
      if (code !== 0) throw new SetupFailed(`pnpm install ended with ${code}`);
    });
  });
  return env;
}

/**
 * Builds every package, without a word unless that takes a while.
 * @param {NodeJS.ProcessEnv} env
 */
export function build(env) {
  const said = setTimeout(() => console.error("building"), quietMs);
  const flags = ["run", "build", "--output-logs=errors-only"];
  return inTurn(toolsDir, () => runTool("turbo", flags, { env, cwd: root, output: "pipe" })).finally(() =>
    clearTimeout(said),
  );
}

/** How long a person may wonder before it is said what goes on. */
const quietMs = 3_000;

/** A failure that set-up has explained; its message is all there is to say. */
export class SetupFailed extends Error {}

/**
 * A place of our own below .tools/, swept by a later run if this one dies.
 * @param {string} suffix
 */
export function partPath(suffix = "") {
  mkdirSync(toolsDir, { recursive: true });
  return join(toolsDir, `part-${process.pid}${suffix}`);
}

/** @param {string} packageManager as in package.json, `pnpm@<version>` with or without a hash */
export function pnpmVersion(packageManager) {
  const version = /^pnpm@(\d+\.\d+\.\d+)/.exec(packageManager)?.[1];
  if (!version) throw new SetupFailed(`package.json names no pnpm version: ${packageManager}`);
  return version;
}

/**
 * The environment of tools: our pnpm and our binaries first, no telemetry, a writable home.
 * @param {NodeJS.ProcessEnv} own
 * @param {string} pnpmBin
 * @param {(dir: string) => boolean} writable
 * @returns {NodeJS.ProcessEnv}
 */
export function toolEnvironment(own, pnpmBin, writable = isWritable) {
  // NODE_ENV=production makes package managers leave the development tools out.
  const { NODE_ENV: _, ...env } = own;
  env["PATH"] = [pnpmBin, join(root, "node_modules", ".bin"), own["PATH"] ?? ""].join(delimiter);
  env["DO_NOT_TRACK"] = "1";
  env["TURBO_TELEMETRY_DISABLED"] = "1";
  if (own["HOME"] && writable(own["HOME"])) return env;
  const home = join(toolsDir, "home");
  for (const kind of ["DATA", "CACHE", "STATE", "CONFIG"]) env[`XDG_${kind}_HOME`] = join(home, kind.toLowerCase());
  env["npm_config_cache"] = join(home, "npm");
  return env;
}

/** @param {string} dir */
function isWritable(dir) {
  try {
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Installs beside the final place and renames: an interrupted one leaves nothing half done.
 * @param {string} version
 * @param {string} target
 * @param {NodeJS.ProcessEnv} env
 */
async function installPnpm(version, target, env) {
  console.error(`setting up: pnpm ${version}`);
  const part = partPath();
  // `optional` and `ignore-scripts` undo settings of the user under which pnpm's native binary
  // would be missing.
  const quiet = [
    "--no-save",
    "--no-package-lock",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--loglevel=error",
  ];
  const args = [...quiet, "--prefer-offline", "--include=optional", "--ignore-scripts=false", `pnpm@${version}`];
  const { code, output } = await runTool("npm", ["install", "--prefix", part, ...args], {
    env,
    cwd: root,
    output: "pipe",
  });
  if (code !== 0) throw new SetupFailed(`npm could not install pnpm ${version}\n${output}`);
  renameSync(part, target);
}

/** Removes what runs that died left behind. */
function sweep() {
  if (!existsSync(toolsDir)) return;
  for (const name of readdirSync(toolsDir)) {
    const pid = /^part-(\d+)/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(toolsDir, name), { recursive: true, force: true });
  }
}
