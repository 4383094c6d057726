// Runs `troupe demo` and writes it as a moving picture, docs/demo.svg: npm run record
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { movingPicture } from "./moving-picture.mjs";
import { root } from "./setup.mjs";

/** The width of the terminal that is shown, and its height. */
const columns = 108;
const rows = 26;
/** A rest that is longer tells nothing more. */
const longestRestMs = 1_500;

/**
 * Runs the demo and keeps each line with the time at which it came.
 * @returns {Promise<readonly { readonly at: number, readonly text: string }[]>}
 */
async function record() {
  const home = mkdtempSync(join(tmpdir(), "troupe-record-"));
  const { ANTHROPIC_API_KEY: _, ...others } = process.env;
  const env = { ...others, HOME: home, TMPDIR: home, FORCE_COLOR: "1", COLUMNS: String(columns) };
  const demo = [join(root, "apps/cli/dist/main.js"), "demo"];
  const child = spawn(process.execPath, demo, { env, cwd: home, stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  /** @type {{ at: number, text: string }[]} */
  const lines = [];
  let at = 0;
  let last = performance.now();
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      const now = performance.now();
      at += Math.min(now - last, longestRestMs);
      last = now;
      lines.push({ at, text: text.replaceAll(home, "/tmp") });
    }
    const code = await exited;
    if (code !== 0) throw new Error(`troupe demo ended with ${code}:\n${lines.map(({ text }) => text).join("\n")}`);
    return lines;
  } finally {
    child.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const lines = await record();
  const title = "troupe demo: a lead and three teammates mend a repository";
  writeFileSync(join(root, "docs/demo.svg"), movingPicture(lines, { title, command: "npm start", columns, rows }));
}
