import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { awaited } from "../scripts/awaited.ts";
import { processesOf } from "./processes.ts";
import { requires } from "./require.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);

let place = "";
/** What npm is given: our packed files, and what others publish. */
let packages: readonly string[] = [];
let demo: ReturnType<typeof troupe> | undefined;
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), "troupe-installed-"));
  const packed = join(place, "packed");
  const { stdout } = await run(process.execPath, [join(root, "scripts/pack.mjs"), packed]);
  const [, words = ""] = /^npm install --global (.*)$/m.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  const tarballs = words.split(" ").map((name) => name.replace("./packed", packed));
  expect(stdout).toContain(`  npm install --global ${tarballs.join(" ")}\n`);
  // What others publish comes from the workspace, so that npm needs no network.
  const others = ["ajv", "yaml"].map((name) => realpathSync(join(root, "packages/conformance/node_modules", name)));
  const flags = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  packages = [...tarballs, ...others];
  await run("npm", ["install", "--global", "--prefix", join(place, "prefix"), ...flags, ...packages]);
  // Half of it is a wait: the others run meanwhile.
  demo = troupe("demo");
  demo.catch(() => {});
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** The installed command, far from the checkout and with a home of its own. */
const troupe = (...args: readonly string[]) =>
  run(join(place, "prefix/bin/troupe"), args, {
    cwd: place,
    // As wide as the picture.
    env: { PATH: process.env["PATH"] ?? "", HOME: place, TMPDIR: place, COLUMNS: "108" },
    maxBuffer: 1 << 26,
  });

test("the packed files make a troupe that says its version, shows its help and reads a team", async () => {
  const { version } = JSON.parse(readFileSync(join(root, "apps/cli/package.json"), "utf8"));
  expect((await troupe("--version")).stdout).toBe(`troupe ${version}\n`);
  expect((await troupe("help")).stdout).toContain("usage: troupe <command>");
  expect((await troupe("show", join(root, "apps/cli/sample"))).stdout).toContain("parser-team");
  // The suite is a package beside it, whose files it reads.
  const checked = await troupe("conformance", "run", "--target", "self", "--only", "ATP-TSK-005", "--out", "report");
  expect(checked.stdout).toMatch(/L0 +a part checked: 1 passed/);
});

test("the line of the workflow for CI judges an adapter by npx from the packed files, and leaves every report", async () => {
  const workflow = readFileSync(join(root, "docs/conformance/workflow.yml"), "utf8");
  const [, line = ""] = /- run: (npx .*)$/m.exec(workflow) ?? [];
  const own = join(place, "implementation");
  mkdirSync(own);
  for (const name of ["works-in-teams-of-others.mjs", "speak.mjs"])
    copyFileSync(join(root, "packages/conformance/miniatures", name), join(own, name));
  await run("sh", ["-c", `${line} --only INB-APPEND/a`], {
    cwd: own,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: place,
      TARGET: "node works-in-teams-of-others.mjs",
      SUITE: packages.map((one) => `--package ${one}`).join(" "),
      npm_config_offline: "true",
    },
  });
  for (const revision of ["2026-02", "2026-11"]) {
    const left = readdirSync(join(own, "conformance", revision)).sort();
    expect(left).toEqual(["badge.json", "junit.xml", "report.html", "report.ndjson", "report.sarif", "report.tap"]);
  }
});

test("the manual page is installed with it, and names every command and option", async () => {
  const page = readFileSync(join(place, "prefix/share/man/man1/troupe.1"), "utf8").replaceAll("\\-", "-");
  const { commands } = JSON.parse((await troupe("help", "--json")).stdout);
  for (const { usage, options } of commands)
    expect(
      [usage, ...Object.keys(options).map((name) => `--${name}`)].filter((words) => !page.includes(words)),
    ).toEqual([]);
  expect(page).toMatch(/^\.TH TROUPE 1 /);
});

test("the licences of what is bundled lie in the package", () => {
  const licences = readFileSync(join(place, "prefix/lib/node_modules/@troupe/cli/dist/licenses.txt"), "utf8");
  for (const name of ["@anthropic-ai/sdk", "zod", "execa"]) expect(licences).toContain(`${name} `);
});

/** Text of an SVG, without its tags. */
const plain = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");

/** Lines without what differs from run to run: times, numbers, directories, how an end was seen. */
const kindsIn = (lines: readonly string[]): readonly string[] =>
  lines
    .map((line) =>
      line
        .replace(/^ *[\d.]+ s/, "")
        .replace(/\/\S*troupe-demo-\w+/g, "DIR")
        .replace(/commit \w+/, "commit")
        .replace(/[\d.]+/g, "N")
        .replace(/ +/g, " "),
    )
    .filter((line) => !/has seen|waited for|tmux -S|attach -t|a lead and three|by a script|review of/.test(line));

const where = requires("tmux", { path: process.env["PATH"] ?? "", required: "" }) === "present" ? "tmux" : "process";

describe("installed", () => {
  test("the demo runs to its end, in panes where there is tmux, and leaves nothing", async () => {
    const { stdout, stderr } = await awaited(
      "the end of the demo",
      demo ?? Promise.reject(new Error("it never began")),
    );
    expect(stderr).toBe("");
    expect(stdout).toContain(`a lead and three teammates (${where})`);
    expect(stdout).toMatch(/tests: 2 passed, 0 failed\n/);
    // At this width the line may be broken anywhere between two words.
    if (where === "tmux") expect(stdout).toMatch(/to see the teammates of demo: tmux\s+-S\s/);
    expect(stdout).not.toContain("variables");
    const kinds = new Set(kindsIn(stdout.split("\n")));
    const svg = readFileSync(join(root, "docs/demo.svg"), "utf8");
    const picture = [...svg.matchAll(/<text class="line"[^>]*>(.*)<\/text>/g)].map(([, text = ""]) => plain(text));
    expect(picture.length).toBeGreaterThan(40);
    // The recording was made in panes.
    if (where === "tmux") expect(kindsIn(picture).filter((line) => !kinds.has(line))).toEqual(["$ npm start"]);
    expect(readdirSync(place).filter((name) => name.startsWith("troupe-demo-"))).toEqual([]);
    expect(processesOf(join(place, "troupe-demo-"))).toEqual([]);
    expect(existsSync(join(place, ".claude"))).toBe(false);
  });
});
