import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect } from "vitest";

const root = join(import.meta.dirname, "..");
const main = join(root, "apps/cli/dist/main.js");
const sample = join(root, "apps/cli/sample");
const test = base.extend<{ home: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  home: async ({}, use) => {
    const home = mkdtempSync(join(tmpdir(), "troupe-"));
    await use(home);
    rmSync(home, { recursive: true });
  },
});
const { CLAUDE_CONFIG_DIR: _, ...environment } = process.env;
const troupe = (args: readonly string[], env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...environment, ...env },
  });
  return { status, stdout, stderr };
};

test.each([["--help"], ["-h"], ["help"], ["show", "--help"], ["show", sample, "-h"]])(
  "help is an answer, in whatever way it is asked for: %s %s",
  (...args) => {
    const answer = troupe(args);
    expect(answer).toMatchObject({ status: 0, stderr: "" });
    expect(answer.stdout).toMatch(/^usage: troupe show \[root\]\n/);
  },
);

test.each<[string[], string]>([
  [[], "usage: troupe show"],
  [["shout"], 'troupe: there is no command "shout"\n\nusage: troupe show'],
  [["show", sample, "more"], "troupe: show takes one directory and no options\n\nusage: troupe show"],
  [["show", "--all"], "troupe: show takes one directory and no options\n\nusage: troupe show"],
])("what is asked in a wrong way ends with 2, and with what would be right: %j", (args, words) => {
  const answer = troupe(args);
  expect(answer).toMatchObject({ status: 2, stdout: "" });
  expect(answer.stderr.startsWith(words), answer.stderr).toBe(true);
});

test("where there is nothing to show the end is 1, and the directory is named", ({ home }) => {
  for (const [path, words] of [
    [join(home, "nowhere"), "there is no directory"],
    [join(root, "package.json"), "there is no directory"],
    [home, "no teams under"],
    ["x".repeat(5_000), "ENAMETOOLONG"],
  ] as const) {
    const answer = troupe(["show", path]);
    expect(answer).toMatchObject({ status: 1, stdout: "" });
    expect(answer.stderr.startsWith(`troupe: ${words}`), answer.stderr).toBe(true);
    expect(answer.stderr).toContain(path);
    expect(answer.stderr).not.toContain("    at ");
  }
});

test("the root is the one that is named, else $CLAUDE_CONFIG_DIR, else ~/.claude", ({ home }) => {
  const teamIn = (path: string, name: string) => {
    mkdirSync(join(path, "teams"), { recursive: true });
    cpSync(join(sample, "teams/parser-team"), join(path, "teams", name), { recursive: true });
  };
  teamIn(join(home, ".claude"), "of-home");
  teamIn(join(home, "named"), "of-variable");
  teamIn(home, "of-argument");
  const env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, "named") };
  const shown = (...given: Parameters<typeof troupe>) => troupe(...given).stdout.split("  ")[0];
  expect(shown(["show"], { HOME: home })).toBe("of-home");
  expect(shown(["show"], { ...env, CLAUDE_CONFIG_DIR: "" })).toBe("of-home");
  expect(shown(["show"], env)).toBe("of-variable");
  expect(shown(["show", home], env)).toBe("of-argument");
});

test("a reader that goes away, as head does, is no failure", async () => {
  const child = spawn(process.execPath, [main, "show", sample], { cwd: root, env: environment });
  child.stdout.destroy();
  let complaint = "";
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  const [status] = await once(child, "close");
  expect({ status, complaint }).toEqual({ status: 0, complaint: "" });
});
