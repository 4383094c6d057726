import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const directory = join(import.meta.dirname, "..");
const readme = readFileSync(join(directory, "../packages/runtime/README.md"), "utf8");
const [, example = ""] = /```js\n(.*?)```/s.exec(readme) ?? [];

test("the example of the README is an agent of at most thirty lines that answers, with nothing but this machine", () => {
  const transcript = join(directory, "dice.jsonl");
  const { ANTHROPIC_API_KEY: _, ...env } = process.env;
  try {
    const args = ["--input-type=module", "--eval", example];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: directory, env, encoding: "utf8" });
    expect({ stdout, stderr, status }).toEqual({ stdout: "You rolled it.", stderr: "", status: 0 });
    const kinds = readFileSync(transcript, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(kinds.filter((kind) => kind !== "troupe")).toEqual(["user", "assistant", "user", "assistant"]);
    expect(example.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
  } finally {
    rmSync(transcript, { force: true });
  }
});
