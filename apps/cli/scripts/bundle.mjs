// Writes the command into dist/: few files, since Node takes about a millisecond for each it loads.
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "rolldown";
import { licensesOf } from "../../../scripts/licenses.mjs";
import { manualOf } from "./manual.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const { version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

mkdirSync(dist, { recursive: true });
for (const name of readdirSync(dist)) if (/\.js(\.map)?$/.test(name)) rmSync(join(dist, name));
/** @type {import("rolldown").BuildOptions} */
const options = {
  cwd: root,
  input: { main: "src/main.ts", program: "src/program.ts" },
  platform: "node",
  // The suite, which reads the cases and schemas beside it; all else is a development dependency.
  external: Object.keys(dependencies),
  resolve: { conditionNames: ["@troupe/source", "node", "default"] },
  logLevel: "warn",
};
// What every command loads is one file, what every command of a team loads besides another.
const apart = await build({ ...options, write: false });
const taken = new Set([join(root, "src/main.ts"), join(root, "src/program.ts")]);
const groups = ["program.ts", "open.ts", "team/show-all.ts"].map((name) => {
  const modules = new Set(loadedWith(apart.output, join(root, "src", name)).filter((id) => !taken.has(id)));
  for (const id of modules) taken.add(id);
  return { name: `with-${name.replace(/.*\/|\.ts$/g, "")}`, test: (/** @type {string} */ id) => modules.has(id) };
});
const { output } = await build({
  ...options,
  // All in one folder: what a file finds beside itself it finds from any.
  output: {
    dir: "dist",
    chunkFileNames: "[name].js",
    sourcemap: true,
    codeSplitting: { groups },
    // Node reads them at each start; the source maps lead to what has them.
    comments: { jsdoc: false },
  },
});

// The page of `troupe web`, as its package has made it, with the licences of what is in it.
const page = realpathSync(join(root, "node_modules/@troupe/web/dist/client"));
cpSync(page, join(dist, "page"), { recursive: true });

const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
writeFileSync(join(dist, "licenses.txt"), licensesOf(modules));

const { openProgram } = await import(pathToFileURL(join(dist, "program.js")).href);
writeFileSync(join(dist, "troupe.1"), manualOf(JSON.parse(await printed(["help", "--json"])), version));

/**
 * The modules that are loaded with this one, itself among them.
 * @param {import("rolldown").RolldownOutput["output"]} output
 * @param {string} module
 */
function loadedWith(output, module) {
  const chunks = output.flatMap((one) => (one.type === "chunk" ? one : []));
  const pending = chunks.filter(({ moduleIds }) => moduleIds.includes(module));
  const loaded = new Set(pending);
  for (let chunk = pending.pop(); chunk; chunk = pending.pop()) {
    const { imports } = chunk;
    for (const one of chunks)
      if (imports.includes(one.fileName) && !loaded.has(one)) {
        loaded.add(one);
        pending.push(one);
      }
  }
  return [...loaded].flatMap(({ moduleIds }) => moduleIds);
}

/**
 * What the command prints that was just written.
 * @param {readonly string[]} argv
 */
async function printed(argv) {
  let text = "";
  const stdout = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  const { signal } = new AbortController();
  const surroundings = {
    argv,
    env: {},
    stdin: Readable.from([]),
    stdout,
    stderr: stdout,
    cwd: root,
    home: root,
    signal,
  };
  await openProgram(surroundings).perform();
  return text;
}
