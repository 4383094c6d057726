import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

test("the README shows what `npm start` prints", () => {
  const [, shown] = /```console\n(.*?)```/s.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  const args = ["apps/cli/dist/main.js", "show", "apps/cli/sample"];
  expect(shown).toBe(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }));
});

test("the README of the store runs and prints what it says", () => {
  const [, code = ""] = /```ts\n(.*?)```/s.exec(readFileSync(join(root, "packages/store/README.md"), "utf8")) ?? [];
  const said = [...code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  expect(said).toHaveLength(4);
  expect(printed.trim().split("\n")).toEqual(said);
});
