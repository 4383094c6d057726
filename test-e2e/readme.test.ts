import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const [, sample = ""] = /```console\n(.*?)```/s.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
const troupe = (...args: string[]) =>
  execFileSync(process.execPath, ["apps/cli/dist/main.js", ...args], { cwd: root, encoding: "utf8" });

test("the README shows what a look at the sample teams prints", () => {
  expect(sample).toBe(troupe("show", "apps/cli/sample"));
});

test("the program beside the JSON Schemas finds the sample team right, with nothing of ours", () => {
  const page = readFileSync(join(root, "schemas/README.md"), "utf8");
  const [, program = "", promised] = /```js\n(.*?\/\/ (.*?)\n)```/s.exec(page) ?? [];
  const flags = ["--input-type=module", "--eval", program];
  expect(execFileSync(process.execPath, flags, { cwd: root, encoding: "utf8" })).toBe(`${promised}\n`);
});
