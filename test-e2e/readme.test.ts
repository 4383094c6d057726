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
