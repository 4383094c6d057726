import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { environment, git, repository } from "../test/repositories.ts";

const directory = join(import.meta.dirname, "..");
const readme = readFileSync(join(directory, "README.md"), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code = ""]) => code);

/** Runs the example of a room of the package, with `root` in place of the working directory. */
function ran(room: string, root: string) {
  const example = examples.find((code) => code.includes(`"@troupe/backends/${room}"`)) ?? "";
  const code = example.replaceAll("process.cwd()", JSON.stringify(root));
  expect(code).not.toBe(example);
  const args = ["--input-type=module", "--eval", code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, env: environment, encoding: "utf8" });
  return { stdout, stderr };
}

test("the example of worktrees runs as it stands in the README, once it is built", () => {
  const root = repository();
  const path = join(root, ".claude/worktrees/user+feature");
  const began = git(root, "rev-parse", "HEAD");
  expect(ran("worktree", root)).toEqual({
    stdout: `work in ${path}, which began with ${began}\nnothing was done\n`,
    stderr: "",
  });
});

test("the example of processes runs as it stands in the README, and leaves nothing", () => {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "readme-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  expect(ran("process", root)).toEqual({ stdout: "[ 'ann' ]\nended shutdown\n", stderr: "" });
  expect(readdirSync(join(root, "troupe/backends"))).toEqual([]);
});
