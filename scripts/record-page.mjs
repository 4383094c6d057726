// Runs `troupe demo` and photographs the page of `troupe web` when a teammate was killed, as
// docs/page.png: npm run record:page
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./setup.mjs";

const troupe = join(root, "apps/cli/dist/main.js");
const { chromium } = createRequire(join(root, "test-e2e/package.json"))("playwright-core");
const browserPath = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((directory) => join(directory, "chromium"))
  .find(existsSync);
if (!browserPath) throw new Error("chromium is missing in PATH: install it and run this again");

const home = mkdtempSync(join(tmpdir(), "troupe-page-"));
const { ANTHROPIC_API_KEY: _, ...others } = process.env;

/**
 * A run of the command, and its lines as JSON.
 * @param {readonly string[]} args
 */
function begin(...args) {
  const child = spawn(process.execPath, [troupe, ...args, "--json"], {
    env: { ...others, HOME: home, TMPDIR: home },
    cwd: home,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** @param {string} event */
    async until(event) {
      for (let { value, done } = await lines.next(); !done; { value, done } = await lines.next()) {
        const line = JSON.parse(value);
        if (line.event === event) return line;
      }
      throw new Error(`troupe ${args.join(" ")} has ended without ${event}`);
    },
    async end() {
      child.kill("SIGINT");
      await exited;
    },
  };
}

const demo = begin("demo");
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
let page;
try {
  const begun = await demo.until("begun");
  page = begin("web", "--root", begun.root);
  const { url } = await page.until("listening");
  const tab = await browser.newPage({ viewport: { width: 1_280, height: 560 }, deviceScaleFactor: 1.5 });
  await tab.goto(url);
  await demo.until("killed");
  await tab.getByText("bob runs no more").waitFor();
  await tab.screenshot({ path: join(root, "docs/page.png") });
} finally {
  await browser.close();
  await page?.end();
  await demo.end();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
