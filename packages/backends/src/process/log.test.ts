import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lastLines } from "./log.ts";

test("of an error that was printed for programs the last lines hold the words for people, and every other line as it is", () => {
  const directory = mkdtempSync(join(tmpdir(), "troupe-log-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "a.log");
  const lines = ["began", '{"error":{"code":"x","message":"there is no key","exit":2}}', '{"error":"no"}', "null", "{"];
  writeFileSync(path, `${lines.join("\n")}\n`);
  expect(lastLines(path)).toEqual(["began", "there is no key", '{"error":"no"}', "null", "{"]);
});
