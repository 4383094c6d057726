// What is installed is what the lock file says, or is installed again. pnpm itself judges by the
// home it is called with, too: it would replace node_modules under a run that uses it.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs unless what is installed is what is wanted. An install that fails or is interrupted
 * counts for nothing.
 * @param {string} root of the repository
 * @param {string} version of pnpm
 * @param {() => Promise<void>} install
 */
export async function installOnce(root, version, install) {
  const stamp = join(root, "node_modules", ".installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === stateOf(root, version)) return;
  rmSync(stamp, { force: true });
  await install();
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(`${stamp}.part`, stateOf(root, version));
  renameSync(`${stamp}.part`, stamp);
}

/**
 * What decides what is installed, and what pnpm wrote down of it.
 * @param {string} root
 * @param {string} version
 */
function stateOf(root, version) {
  const packages = ["", ...packagesOf(root)];
  const files = [
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    join("node_modules", ".modules.yaml"),
    ...packages.map((directory) => join(directory, "package.json")),
  ];
  const hashes = files.map((file) => `${file} ${hashOf(join(root, file))}`);
  const folders = packages.map((directory) => join(directory, "node_modules"));
  const found = folders.filter((folder) => existsSync(join(root, folder)));
  return [`pnpm ${version} ${process.platform} ${process.arch}`, ...hashes, ...found, ""].join("\n");
}

/**
 * The directories that the patterns of the workspace name.
 * @param {string} root
 */
function packagesOf(root) {
  const text = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  const patterns = [...text.matchAll(/^ {2}- (\S+)$/gm)].map(([, pattern = ""]) => pattern);
  const directories = patterns.flatMap((pattern) => {
    if (!pattern.endsWith("/*")) return [pattern];
    const above = pattern.slice(0, -2);
    return existsSync(join(root, above)) ? readdirSync(join(root, above)).map((name) => join(above, name)) : [];
  });
  return directories.filter((directory) => existsSync(join(root, directory, "package.json"))).sort();
}

/** @param {string} file */
function hashOf(file) {
  return existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : "none";
}
