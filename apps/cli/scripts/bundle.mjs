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
const { output } = await build({
  cwd: root,
  input: { main: "src/main.ts", program: "src/program.ts" },
  platform: "node",
  // The suite, which reads the cases and schemas beside it; all else is a development dependency.
  external: Object.keys(dependencies),
  resolve: { conditionNames: ["@troupe/source", "node", "default"] },
  // All in one folder: what a file finds beside itself it finds from any.
  output: { dir: "dist", chunkFileNames: "[name].js", sourcemap: true },
  logLevel: "warn",
});

// The page of `troupe web`, as its package has made it, with the licences of what is in it.
const page = realpathSync(join(root, "node_modules/@troupe/web/dist/client"));
cpSync(page, join(dist, "page"), { recursive: true });

const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
writeFileSync(join(dist, "licenses.txt"), licensesOf(modules));

const { openProgram } = await import(pathToFileURL(join(dist, "program.js")).href);
writeFileSync(join(dist, "troupe.1"), manualOf(JSON.parse(await printed(["help", "--json"])), version));

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
