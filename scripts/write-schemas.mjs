// Writes schemas/<revision>/*.json from what @troupe/protocol publishes. Run through `npm run
// schemas`, which builds first.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publishedFiles, revisions } from "../packages/protocol/dist/published.js";

const root = fileURLToPath(new URL("../schemas/", import.meta.url));

for (const revision of revisions) {
  const folder = join(root, revision);
  mkdirSync(folder, { recursive: true });
  const files = publishedFiles(revision);
  for (const file of readdirSync(folder)) if (!files.has(file)) rmSync(join(folder, file));
  for (const [file, schema] of files) writeFileSync(join(folder, file), `${JSON.stringify(schema, null, 2)}\n`);
  console.log(`schemas/${revision}: ${files.size} files`);
}
