import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openTroupe, sample } from "./command-line.ts";

const { home, begin, troupe } = openTroupe();
const at = (name: string) => join(home, name);
execFileSync("mkfifo", [at("pipe"), at("pipe.md"), at("pipe.yaml"), at("pipe.html")]);
for (const name of ["zero", "zero.md", "zero.yaml"]) symlinkSync("/dev/zero", at(name));
symlinkSync("loop.md", at("loop.md"));
symlinkSync("nowhere", at("gone.md"));
mkdirSync(at("folder.md"));

/** The outcome of a run that may hang. */
async function ending(args: readonly string[]) {
  const child = begin(args);
  onTestFinished(() => void child.kill("SIGKILL"));
  const [stdout, stderr, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { status, signal, stdout, stderr: stderr.replaceAll(/^note: .* is still at work after .*\n/gm, "") };
}

const run = ["conformance", "run", "--target"];

test.each<[readonly string[], string]>([
  [["agents", "inspect", "pipe.md"], "pipe.md is a pipe"],
  [["agents", "inspect", "zero.md"], "zero.md is a device"],
  [["agents", "lint", "pipe.md"], "pipe.md is a pipe"],
  [["agents", "lint", "zero.md"], "zero.md is a device"],
  [["schema", "validate", "task", "pipe"], "pipe is a pipe"],
  [["schema", "validate", "task", "zero"], "zero is a device"],
  [["conformance", "report", "pipe"], "pipe is a pipe"],
  [["conformance", "report", "zero"], "zero is a device"],
  [["conformance", "matrix", "out.html", "pipe"], "pipe is a pipe"],
  [[...run, "pipe.yaml"], "pipe.yaml is a pipe"],
  [[...run, "zero.yaml"], "zero.yaml is a device"],
  [[...run, "self", "--baseline", "pipe"], "pipe is a pipe"],
])("%j names what is no file and ends at once", async (args, words) => {
  const { status, stdout, stderr } = await ending(args);
  expect({ status, stdout }).toEqual({ status: 5, stdout: "" });
  expect(stderr).toMatch(/^troupe: [^\n]+\n$/);
  expect(stderr).toContain(words);
});

test.each<[number, string, string]>([
  [3, "gone.md", "gone.md: there is no such file or directory"],
  [1, "loop.md", "loop.md: these links lead in a circle"],
  [1, "folder.md", "folder.md: this is a directory; name a file in it"],
])("what the system refuses ends with %d and names %s", async (status, name, words) => {
  const answer = await ending(["agents", "inspect", name]);
  expect(answer).toMatchObject({ status, stdout: "" });
  expect(answer.stderr).toContain(words);
});

test("a report is not written to a pipe that nobody reads", async () => {
  troupe(["conformance", "grade", sample, "--revision", "2026-02", "--out", "reports"]);
  const report = "reports/2026-02/report.ndjson";
  for (const args of [
    ["matrix", "pipe.html", report],
    ["report", report, "pipe.html"],
  ]) {
    const { status, stderr } = await ending(["conformance", ...args]);
    expect(stderr).toContain("pipe.html is a pipe, a socket or a device");
    expect(status).toBe(5);
  }
});

test("among the definitions of a directory a pipe is one finding, and the others are judged", () => {
  mkdirSync(at("agents"));
  execFileSync("mkfifo", [at("agents/pipe.md")]);
  symlinkSync("/dev/zero", at("agents/zero.md"));
  writeFileSync(at("agents/own.md"), "---\nname: own\ndescription: Reviews.\n---\nYou review.\n");
  const { status, stdout } = troupe(["agents", "lint", "agents"]);
  expect(status).toBe(1);
  for (const name of ["pipe", "zero"])
    expect(stdout).toContain(`agents/${name}.md\n  1:1 error V-AG-01: the definition cannot be read: it is not a file`);
  expect(stdout).toContain("3 files");
});

test("a run that reads standard input without an end can be ended", async () => {
  const child = begin(["schema", "validate", "task", "-"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  // More than a pipe holds: it is gone once somebody reads.
  child.stdin.write(" ".repeat(4_000_000));
  await once(child.stdin, "drain");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([143, null]);
});
