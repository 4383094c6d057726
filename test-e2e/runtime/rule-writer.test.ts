import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { programAt } from "../program.ts";

const program = programAt(join(import.meta.dirname, "rule-writer.mjs"));

test("two programs that are granted rules at the same time lose none of them", async () => {
  const directory = mkdtempSync(join(tmpdir(), "troupe-rules-"));
  const file = join(directory, "settings.json");
  writeFileSync(file, '{"model":"opus"}');
  const write = (name: string) => promisify(execFile)(process.execPath, [program, file, name, "50"]);
  try {
    const said = await Promise.all(["one", "other"].map(write));
    expect(said.map(({ stdout }) => stdout)).toEqual(["", ""]);
    const { model, permissions } = JSON.parse(readFileSync(file, "utf8"));
    const rules = ["one", "other"].flatMap((name) => Array.from({ length: 50 }, (_, at) => `Bash(${name} ${at})`));
    expect([...permissions.allow].sort()).toEqual(rules.sort());
    expect(model).toBe("opus");
    expect(readdirSync(directory)).toEqual(["settings.json"]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
