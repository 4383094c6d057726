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
  const verdicts = await Promise.all(publishedPackages().map((dir) => judge(dir, env)));
  const broken = verdicts.filter(({ code }) => code !== 0);
  return { code: broken.length === 0 ? 0 : 1, output: broken.map(({ output }) => output).join("\n") };
}

/** The directories of the packages that get published: all of them. */
const publishedPackages = () => packagesWith(() => true);

/** The directories of the packages that others import. */
export const libraries = () => packagesWith((manifest) => manifest.exports !== undefined);

/** @param {(manifest: { readonly exports?: object }) => boolean} isMeant */
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
    const isImported = libraries().includes(dir);
    // A release is made of a fresh clone: what an earlier build left in dist is not judged.
    const isLeft = (/** @type {string} */ file) => isImported && !existsSync(sourceOf(dir, file));
    const files = new Map([...readTarball(readFileSync(tarball))].filter(([file]) => !isLeft(file)));
    const found = contentProblems(files, { url: repository(), directory: dir });
    const types = [tarball, "--profile", "esm-only", "--no-definitely-typed", "--no-color", "--no-emoji"];
    const tools = await Promise.all([
      runTool("publint", ["run", tarball, "--strict"], options),
      ...(isImported ? [runTool("attw", types, options)] : []),
    ]);
    const broken = tools.filter(({ code }) => code !== 0).map(({ output }) => output);
    return { code: found.length + broken.length === 0 ? 0 : 1, output: [`${dir}:`, ...found, ...broken].join("\n") };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * The source of a compiled file; of any other file the manifest, which is always there.
 * @param {string} dir
 * @param {string} file
 */
function sourceOf(dir, file) {
  const [, name] = /^package\/dist\/(.*)\.js$/.exec(file) ?? [];
  return name === undefined ? join(root, dir, "package.json") : join(root, dir, "src", `${name}.ts`);
}

/** Where all packages come from, as the manifest of the whole says it. */
const repository = () => JSON.parse(readFileSync(join(root, "package.json"), "utf8")).repository.url;

/**
 * What is wrong with a packed package that its users would notice and the tools do not.
 * @param {ReadonlyMap<string, Buffer>} files
 * @param {{ readonly url: string, readonly directory: string }} origin
 * @returns {readonly string[]}
 */
export function contentProblems(files, origin) {
  const manifest = files.get("package/package.json")?.toString() ?? "";
  const names = [...files.keys()];
  return [
    ...(manifest === "" ? [] : manifestProblems(JSON.parse(manifest), origin)),
    ...(names.some((name) => name.startsWith("package/dist/")) ? [] : ["package/dist is missing: build first"]),
    ...[...files]
      .filter(([name, text]) => /^package\/dist\/.*\.js$/.test(name) && !files.has(`${name}.map`) && hasSource(text))
      .map(([name]) => `${name} has no source map: remove dist and build anew`),
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

/**
 * What a bundler adds of its own is made of no source, and what only passes names on is not mapped.
 * @param {Buffer} text
 */
const hasSource = (text) =>
  !/^(?:import (?:\* as \w+ from )?"[^"]*";\s*|export \{[^}]*\}(?: from "[^"]*")?;\s*)+$|\/\/ \\0rolldown\//.test(
    text.toString(),
  );

/**
 * @param {{ readonly repository?: { readonly url?: string, readonly directory?: string },
 *   readonly keywords?: readonly string[], readonly private?: boolean }} manifest
 * @param {{ readonly url: string, readonly directory: string }} origin
 */
function manifestProblems({ repository: said, keywords = [], private: isPrivate }, { url, directory }) {
  const isFromHere = said?.url === url && said.directory === directory;
  return [
    ...(isFromHere ? [] : [`package.json: repository is not ${url} with the directory ${directory}`]),
    ...(keywords.length > 0 ? [] : ["package.json has no keywords"]),
    ...(isPrivate ? ["package.json is private, so that nobody can publish it"] : []),
  ];
}
