import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProcess } from "@troupe/process";
import { TroupeError } from "@troupe/protocol";

/** A small repository with a fault in it, and a test that shows the fault. */
const files: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "words", "version": "1.0.0", "private": true, "type": "module" }\n',
  "words.mjs": '/** How many words a text has. */\nexport const words = (text) => text.split(" ").length;\n',
  "words.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { words } from "./words.mjs";

test("blanks are no words", () => {
  assert.equal(words(""), 0);
  assert.equal(words(" two  words "), 2);
});
`,
};

type Environment = Readonly<Record<string, string>>;

/** Runs a program in the project; the text that it printed, and whether it ended well. */
async function ran(program: string, args: readonly string[], cwd: string, environment: Environment) {
  const { code, stdout, stderr, failure } = await runProcess({
    program,
    args,
    cwd,
    environment,
    timeoutMs: 30_000,
    keptBytes: 1 << 20,
  });
  return { isFine: code === 0, stdout, words: failure ?? (stderr.trim() || stdout.trim()) };
}

/** Makes the repository, with one commit. */
export async function makeProject(cwd: string, environment: Environment): Promise<void> {
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const git = async (...args: readonly string[]) => {
    const { isFine, words } = await ran("git", args, cwd, environment);
    if (!isFine) throw new TroupeError("document_unwritable", `git ${args[0]} failed: ${words}; install git 2.28`);
  };
  await git("init", "--quiet", "--initial-branch", "main");
  const identity = { "user.name": "Troupe demo", "user.email": "demo@localhost", "commit.gpgsign": "false" };
  for (const [name, value] of Object.entries(identity)) await git("config", name, value);
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "Count words");
}

/** What is in the repository after the work, found out by running it. */
export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  /** One line a commit, the newest first. */
  readonly commits: readonly string[];
}

/** Runs the project's tests. */
export async function judgeProject(cwd: string, environment: Environment): Promise<Verdict> {
  if (!existsSync(cwd)) return { passed: 0, failed: 0, commits: [] };
  const tests = readdirSync(cwd).filter((name) => name.endsWith(".test.mjs"));
  const tested = await ran(process.execPath, ["--test", "--test-reporter=tap", ...tests], cwd, environment);
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(tested.stdout)?.[1] ?? 0);
  const log = await ran("git", ["log", "--no-merges", "--format=%h %s"], cwd, environment);
  const failed = tested.isFine ? count("fail") : Math.max(1, count("fail"));
  return { passed: count("pass"), failed, commits: log.stdout.trim().split("\n") };
}
