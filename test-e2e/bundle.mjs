// Writes the programs that tests start into dist/, in few files: Node takes half a second to load
// the runtime from all of its own.
import { readdirSync } from "node:fs";
import { build } from "rolldown";

const programs = ["backends", "postgres", "runtime", "store", "team"].flatMap((room) =>
  readdirSync(new URL(room, import.meta.url))
    .filter((name) => name.endsWith(".mjs") && name !== "soak.mjs")
    .map((name) => `${room}/${name}`),
);
// What these are asked for comes with its own words: `npm run interop`, `npm run mcp:conformance`;
// a server is what `npm run bench` measures.
const named = ["interop/main", "interop/inside", "interop/acp/inside", "mcp/main", "matrix/model-driven"];
const others = [...named, "postgres/serve"].map((path) => [`${path}.mjs`, `${path}.ts`]);
await build({
  cwd: import.meta.dirname,
  input: Object.fromEntries([...programs.map((path) => [path, path]), ...others]),
  platform: "node",
  resolve: { conditionNames: ["@troupe/source", "node", "import", "default"] },
  output: { dir: "dist", cleanDir: true, entryFileNames: "[name]", chunkFileNames: "[name].mjs", sourcemap: true },
  // Of its parts some are modules and some are not, and bundled they do not find each other.
  external: ["pg"],
  logLevel: "warn",
});
