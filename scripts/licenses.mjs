// The licences of what is in the bundle, which has to be in its package.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The licence of every package of others that these modules belong to, as one text. A package
 * that names none is an error: it could not be shipped.
 * @param {readonly string[]} modules
 */
export function licensesOf(modules) {
  const directories = new Set(modules.filter((id) => id.includes("/node_modules/")).map(packageOf));
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const directory of directories) {
    const { name, version, license, author } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const file = readdirSync(directory).find((one) => /^licen[cs]e/i.test(one));
    if (!file && !license) throw new Error(`${name} ${version} is in the bundle, and says nothing of its licence`);
    const by = typeof author === "string" ? author : author?.name;
    const text = file
      ? readFileSync(join(directory, file), "utf8").trim()
      : `Its manifest says no more${by ? `; by ${by}` : ""}.`;
    texts.set(`${name} ${version} (${license})`, text);
  }
  const parts = [...texts].sort(([one], [other]) => (one < other ? -1 : 1));
  return `${parts.map(([title, text]) => `${title}\n\n${text}`).join(`\n\n${"-".repeat(78)}\n\n`)}\n`;
}

/**
 * The directory of the package of a module: the nearest whose manifest has a name and a version.
 * @param {string} id
 */
function packageOf(id) {
  for (let directory = dirname(id.replace(/^\0/, "").split("?")[0] ?? ""); ; directory = dirname(directory)) {
    const manifest = join(directory, "package.json");
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version) return directory;
    if (dirname(directory) === directory) throw new Error(`${id} belongs to no package`);
  }
}
