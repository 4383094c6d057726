import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const node = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", input: "" });
  return { status, stdout, stderr };
};

test.each([
  ["show", "apps/cli/sample"],
  ["show", "nowhere"],
  ["a b", "--flag"],
])(
  "`npm run troupe -- %s %s` is the command line itself: its output, its exit code, and not a word more",
  (...args) => {
    expect(node("scripts/run.mjs", "troupe", ...args)).toEqual(node("apps/cli/dist/main.js", ...args));
  },
);

test("a goal that does not exist is refused with those that do", () => {
  expect(node("scripts/run.mjs", "tset")).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/usage:.*start.*test/),
  });
});
