// Writes the page into dist/client: nothing of it is made on the machine of a user.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { licensesOf } from "../../../scripts/licenses.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [from, into] = [join(root, "src/client"), join(root, "dist/client")];

mkdirSync(into, { recursive: true });
const { output } = await build({
  cwd: root,
  input: "src/client/app.tsx",
  platform: "browser",
  // For who reads an error of it: the browser is not told of the map, and the server gives none.
  output: { file: "dist/client/app.js", format: "esm", minify: true, sourcemap: "hidden" },
  logLevel: "warn",
});
writeFileSync(join(into, "licenses.txt"), licensesOf(output[0].moduleIds));
for (const name of ["index.html", "icon.svg"]) copyFileSync(join(from, name), join(into, name));
// What holds for narrow windows and for paper undoes some of what stands before it.
const styles = ["frame", "parts", "now", "board", "talk", "timeline", "cost", "doctor", "member", "narrow"];
const css = styles.map((name) => readFileSync(join(from, `style/${name}.css`), "utf8")).join("");
writeFileSync(join(into, "app.css"), css.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/\s*\n\s*/g, "\n"));
