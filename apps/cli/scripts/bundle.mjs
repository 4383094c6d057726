// Writes the command into dist/: few files, since Node takes about a millisecond for each it loads.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");

mkdirSync(dist, { recursive: true });
for (const name of readdirSync(dist)) if (/\.js(\.map)?$/.test(name)) rmSync(join(dist, name));
await build({
  cwd: root,
  input: { main: "src/main.ts", program: "src/program.ts" },
  platform: "node",
  // The suite reads the cases and schemas that lie beside it.
  external: ["@troupe/conformance"],
  resolve: { conditionNames: ["@troupe/source", "node", "import", "default"] },
  // All in one folder: what a file finds beside itself it finds from any.
  output: { dir: "dist", chunkFileNames: "[name].js", sourcemap: true },
  logLevel: "warn",
});
