import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("no more files act on the paths of a message, an agent and a question than the house allows", () => {
  const main = join(import.meta.dirname, "../dist/main.js");
  // It ends with 1, and the error has all that it printed, where more act.
  const printed = execFileSync(process.execPath, [main, "paths"], { encoding: "utf8" });
  expect(printed.match(/files act/g)).toHaveLength(4);
});
