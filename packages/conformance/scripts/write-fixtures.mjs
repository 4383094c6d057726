// Rebuilds what real clients left behind, one file per scene: node scripts/write-fixtures.mjs
// <directory>/<version>/<scene>/<number>-<path> In a name `__` stands for `/`; the last file of a
// path counts, temporary files and those that begin with `_` do not.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [from] = process.argv.slice(2);
if (!from) throw new Error("usage: node scripts/write-fixtures.mjs <directory with the versions of the client>");

/**
 * Scenes that are looked at in the middle as well: after this file the config is torn.
 * @type {Readonly<Record<string, number>>}
 */
const middles = { "2.1.326/tmux": 28 };
const to = new URL("../fixtures/", import.meta.url);
mkdirSync(to, { recursive: true });

/**
 * @param {string} folder
 * @param {number} last
 */
function treeOf(folder, last = Number.POSITIVE_INFINITY) {
  /** @type {Record<string, string>} */
  const tree = {};
  for (const name of readdirSync(folder).sort()) {
    const [, number, path] = /^([0-9]+)-(.*)$/.exec(name) ?? [];
    if (path === undefined || Number(number) > last || !path.endsWith(".json")) continue;
    tree[path.replaceAll("__", "/")] = readFileSync(join(folder, name), "utf8");
  }
  return tree;
}

/**
 * @param {string} name
 * @param {object} tree
 */
function write(name, tree) {
  writeFileSync(new URL(`${name}.json`, to), `${JSON.stringify(tree, undefined, 1)}\n`);
}

for (const version of readdirSync(from).filter((name) => /^[0-9.]+$/.test(name))) {
  for (const scene of readdirSync(join(from, version))) {
    const folder = join(from, version, scene);
    write(`${version}-${scene}`, treeOf(folder));
    const middle = middles[`${version}/${scene}`];
    if (middle) write(`${version}-${scene}-in-the-middle`, treeOf(folder, middle));
  }
}
