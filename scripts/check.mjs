// `npm run check`: everything but the tests, side by side; a line for each part, and all it printed
// where it failed.
import { runTool } from "./children.mjs";
import { packaging } from "./packaging.mjs";
import { build, root } from "./setup.mjs";

/** @typedef {{ code: number, output: string }} Verdict */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
export async function check(env) {
  const plain = { ...env, NO_COLOR: "1" };
  /** @type {(program: string, ...args: readonly string[]) => Promise<Verdict>} */
  const tool = (program, ...args) => runTool(program, args, { env: plain, cwd: root, output: "pipe" });
  const built = build(plain);
  const types = async () => {
    const verdict = await built;
    return verdict.code === 0 ? tool("tsc", "-p", "tsconfig.tests.json") : verdict;
  };
  const packages = async () =>
    (await built).code === 0 ? packaging(plain) : { code: 1, output: "not judged: the build failed, see types" };

  const verdicts = await Promise.all([
    part("format and lint", tool("biome", "ci", "--colors=off", "--error-on-warnings", ".")),
    part("types", types()),
    part("unused code", tool("knip", "--no-progress")),
    part("used by tests", tool("knip", "--production", "--config", "knip.production.jsonc", "--no-progress")),
    part("architecture", tool("vitest", "run", "--project=repository", "architecture", "exports", "words")),
    part("packaging", packages()),
  ]);
  const failed = verdicts.filter(({ code }) => code !== 0).length;
  console.log(failed === 0 ? "check: all parts hold" : `check: ${failed} of ${verdicts.length} parts failed`);
  return failed === 0 ? 0 : 1;
}

/**
 * @param {string} name
 * @param {Promise<Verdict>} work
 */
async function part(name, work) {
  const start = performance.now();
  const verdict = await work;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${verdict.code === 0 ? "ok    " : "FAILED"}  ${name.padEnd(16)} ${seconds} s`);
  if (verdict.code !== 0) console.log(verdict.output.trimEnd().replaceAll(/^/gm, "        "));
  return verdict;
}
