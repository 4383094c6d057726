// The public names of a package, read from its index files.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} EntryPoint
 * @property {string} specifier what users import, e.g. `@troupe/protocol/agent`
 * @property {string} source the file behind it
 * @property {readonly string[]} values names that exist at run time
 * @property {readonly string[]} types names that only the compiler sees
 */

/**
 * @param {string} dir of a package
 * @returns {readonly EntryPoint[]}
 */
export function entryPoints(dir) {
  const { name, exports } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  return Object.entries(exports).map(([subpath, target]) => {
    const source = join(dir, target["@troupe/source"]);
    return { specifier: join(name, subpath), source, ...exportedNames(readFileSync(source, "utf8")) };
  });
}

const list = /^export (type )?\{([^}]*)\}/;
const declaration = /^export (?:declare )?(?:(type|interface)|(?:async )?function\*?|const|let|class) +(\w+)/;

/**
 * The names an index file exports; a form that is not known here is an error, so no name is ever
 * overlooked.
 * @param {string} source
 * @returns {{ values: readonly string[], types: readonly string[] }}
 */
export function exportedNames(source) {
  /** @type {Set<string>} */
  const values = new Set();
  /** @type {Set<string>} */
  const types = new Set();
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");

  for (const { index } of code.matchAll(/^export\b/gm)) {
    const statement = code.slice(index);
    const [, allTypes, items] = list.exec(statement) ?? [];
    const [, isType, declared] = declaration.exec(statement) ?? [];
    if (declared !== undefined) (isType ? types : values).add(declared);
    else if (items === undefined) throw new Error(`not a list of names: ${statement.split("\n")[0]}`);
    else {
      for (const item of items
        .split(",")
        .map((text) => text.trim())
        .filter(Boolean)) {
        const [, itemType, name] = /^(type )?(?:\w+ as )?(\w+)$/.exec(item) ?? [];
        if (name === undefined) throw new Error(`not a name: ${item}`);
        (allTypes || itemType ? types : values).add(name);
      }
    }
  }
  // A schema and its type share one name; to users it is one.
  return { values: [...values].sort(), types: [...types].filter((name) => !values.has(name)).sort() };
}
