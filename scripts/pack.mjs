// Packs every package of a built checkout as it would be published, into packed/ or the directory
// that is named, and says how to install the files.
import { join, resolve } from "node:path";
import { runTool } from "./children.mjs";
import { root, setUp } from "./setup.mjs";

const place = resolve(process.argv[2] ?? join(root, "packed"));
const which = ["--recursive", "--filter", "./packages/*", "--filter", "./apps/*"];
const { code, output } = await runTool("pnpm", [...which, "pack", "--out", join(place, "%s.tgz")], {
  env: await setUp(),
  cwd: root,
  output: "pipe",
});
if (code === 0) {
  const command = ["troupe-cli.tgz", "troupe-conformance.tgz"].map((name) => join(place, name));
  console.log(`the command, for you:
  npm install --global ${command.join(" ")}
the libraries, in a project of yours:
  npm install ${join(place, "*.tgz")}`);
} else console.error(output);
process.exitCode = code;
