import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environment, repository } from "../test/repositories.ts";

const directory = join(import.meta.dirname, "..");
const [, example = ""] = /```js\n(.*?)```/s.exec(readFileSync(join(directory, "README.md"), "utf8")) ?? [];

test("the example of the README runs as it stands there, once it is built", () => {
  const root = repository();
  const code = example.replace("process.cwd()", JSON.stringify(root));
  expect(code).not.toBe(example);
  const args = ["--input-type=module", "--eval", code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, env: environment, encoding: "utf8" });
  const path = join(root, ".claude/worktrees/user+feature");
  expect({ stdout, stderr }).toEqual({ stdout: `work in ${path}\nnothing was done\n`, stderr: "" });
});
