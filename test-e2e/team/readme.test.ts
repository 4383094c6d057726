import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const directory = join(import.meta.dirname, "..");
const readme = readFileSync(join(directory, "../packages/team/README.md"), "utf8");
const [, example = ""] = /```js\n(.*?)```/s.exec(readme) ?? [];

test("the example of the README of the team hears a message and answers it", () => {
  const args = ["--input-type=module", "--eval", example];
  const TMPDIR = mkdtempSync(join(tmpdir(), "troupe-readme-"));
  onTestFinished(() => rmSync(TMPDIR, { recursive: true }));
  const env = { ...process.env, TMPDIR };
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: directory, env, encoding: "utf8" });
  const told =
    '<teammate-message teammate_id="team-lead" summary="the fence">\nIs the fence green?\n</teammate-message>\n';
  expect({ stdout, stderr, status }).toEqual({ stdout: told, stderr: "", status: 0 });
});
