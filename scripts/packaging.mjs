// Is what we would publish what people can install? Each public package is packed as `pnpm publish`
// would pack it, and judged as such.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "./children.mjs";
import { root } from "./setup.mjs";
import { readTarball } from "./tarball.mjs";

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import("./check.mjs").Verdict>}
 */
export async function packaging(env) {
  const verdicts = await Promise.all(publicPackages().map((dir) => judge(dir, env)));
  const broken = verdicts.filter(({ code }) => code !== 0);
  return { code: broken.length === 0 ? 0 : 1, output: broken.map(({ output }) => output).join("\n") };
}

/** The directories of the packages that get published. */
const publicPackages = () => packagesWith((manifest) => manifest.private !== true);

/** The directories of the packages that others import, published or not yet. */
export const libraries = () => packagesWith((manifest) => manifest.exports !== undefined);

/** @param {(manifest: { readonly private?: boolean, readonly exports?: object }) => boolean} isMeant */
const packagesWith = (isMeant) =>
  ["packages", "apps"]
    .flatMap((room) => readdirSync(join(root, room)).map((name) => join(room, name)))
    .filter((dir) => {
      const manifest = join(root, dir, "package.json");
      return existsSync(manifest) && isMeant(JSON.parse(readFileSync(manifest, "utf8")));
    });

/**
 * @param {string} dir
 * @param {NodeJS.ProcessEnv} env
 */
async function judge(dir, env) {
  const place = mkdtempSync(join(tmpdir(), "troupe-pack-"));
  const options = /** @type {const} */ ({ env, cwd: join(root, dir), output: "pipe" });
  try {
    const pack = await runTool("pnpm", ["pack", "--pack-destination", place], options);
    const [name] = readdirSync(place);
    if (pack.code !== 0 || !name) return { code: 1, output: `${dir}: pnpm pack failed\n${pack.output}` };
    const tarball = join(place, name);
    const found = contentProblems(readTarball(readFileSync(tarball)));
    const tools = await Promise.all([
      runTool("publint", ["run", tarball, "--strict"], options),
      runTool("attw", [tarball, "--profile", "esm-only", "--no-definitely-typed", "--no-color", "--no-emoji"], options),
    ]);
    const broken = tools.filter(({ code }) => code !== 0).map(({ output }) => output);
    return { code: found.length + broken.length === 0 ? 0 : 1, output: [`${dir}:`, ...found, ...broken].join("\n") };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * What is wrong with a packed package that its users would notice and the tools do not.
 * @param {ReadonlyMap<string, Buffer>} files
 * @returns {readonly string[]}
 */
export function contentProblems(files) {
  const manifest = files.get("package/package.json")?.toString() ?? "";
  const names = [...files.keys()];
  return [
    ...["package/package.json", "package/README.md", "package/LICENSE"]
      .filter((name) => !files.has(name))
      .map((name) => `${name} is missing`),
    ...["@troupe/source", "workspace:", "catalog:"]
      .filter((word) => manifest.includes(word))
      .map((word) => `package.json says ${word}`),
    ...names
      .filter((name) => /\.test\.|\.tsbuildinfo$|^package\/src\//.test(name))
      .map((name) => `${name} is not for users`),
  ];
}
