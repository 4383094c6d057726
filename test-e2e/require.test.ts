import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requires } from "./require.ts";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "troupe-require-"));
  writeFileSync(join(dir, "tmux"), "");
  chmodSync(join(dir, "tmux"), 0o755);
  writeFileSync(join(dir, "notes"), "");
});
afterAll(() => rmSync(dir, { recursive: true }));

test("a program in any directory of PATH is present", () => {
  expect(requires("tmux", { path: ["", "/nowhere", dir].join(delimiter), required: "tmux" })).toBe("present");
});

test("a file that cannot be executed is not a program", () => {
  expect(requires("notes", { path: dir, required: "" })).toBe("missing");
});

test.each([
  ["", "missing"],
  ["git", "missing"],
  ["tmux", "required"],
  ["git, tmux", "required"],
] as const)("with TROUPE_REQUIRE=%j a program that is not there is %s", (required, presence) => {
  expect(requires("tmux", { path: "/nowhere", required })).toBe(presence);
});
