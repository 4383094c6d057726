import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { start, test } from "../store/processes.ts";

/**
 * The output of a process that may write no file beyond so many blocks of 512 bytes; it sees that
 * limit as it would a full disk.
 */
async function onFullDisk(what: string, disk: string, maxBlocks: number) {
  const { child, said } = start(join(import.meta.dirname, "full-disk.mjs"), { disk, what }, { maxBlocks });
  const [line = "null"] = await said;
  expect(child.exitCode).toBe(0);
  return JSON.parse(line);
}

test("a disk that fills up while a command talks ends neither the process nor the command, and the result says what is missing", async ({
  root,
}) => {
  const { flood, short } = await onFullDisk("foreground", root, 128);
  expect(flood.isError).toBe(true);
  expect(flood.text).toMatch(/^firstx{1000}/);
  expect(flood.text).toContain(`${join(root, "outputs", "bid0.output")} lacks the last 234473 of 300009 bytes`);
  expect(flood.text).toContain("could not be written: EFBIG");
  expect(flood.text).toMatch(/x{1000}last\nExit code 3$/);
  expect(short).toEqual({ isError: false, text: "short" });
});

test("where nothing can be written down, what a command says is shown all the same", async ({ root }) => {
  const { short } = await onFullDisk("foreground", root, 0);
  expect(short.text).toContain("lacks the last 6 of 6 bytes");
  expect(short.text).toMatch(/\nshort$/);
});

test("where not even a file can be made, a command runs all the same, and what is in the way stays there", async ({
  root,
}) => {
  writeFileSync(join(root, "outputs"), "in the way");
  const { flood, short } = await onFullDisk("foreground", root, 128);
  expect(flood.text).toMatch(
    /^… \[.* lacks the last 300009 of 300009 bytes.*EEXIST.*last 20000\] …\nx+last\nExit code 3$/,
  );
  expect(short.text).toMatch(/\nshort$/);
  expect(readFileSync(join(root, "outputs"), "utf8")).toBe("in the way");
});

test("an agent whose journal cannot be written fails with the reason, and who started it goes on", async ({ root }) => {
  const { results, ended } = await onFullDisk("agent", root, 512);
  expect(results[0]).toMatch(/agent-.*\.jsonl could not be written completely; is the disk full\?/);
  expect(ended).toMatchObject({ isOk: true, text: "done" });
});

test("a session that cannot be written down is not opened, and the error names the file", async ({ root }) => {
  const { name, code, message } = await onFullDisk("opening", root, 0);
  expect({ name, code }).toEqual({ name: "TroupeError", code: "document_unwritable" });
  expect(message).toMatch(/root\/projects\/.*\.jsonl\.lease cannot be written and is as it was: EFBIG/);
});

test("the end of a background command is told although its output could not be kept", async ({ root }) => {
  const { told, status, output } = await onFullDisk("background", root, 128);
  expect(status).toBe("completed");
  expect(told).toEqual([expect.stringContaining("(exit code 0); its output file does not hold all it said: EFBIG")]);
  expect(output).toMatch(/x{1000}last$/);
});

test("a journal that cannot be written to its end stops the agent with an error that names the file", async ({
  root,
}) => {
  for (const [nth, maxBlocks] of [0, 128].entries()) {
    const disk = join(root, `${nth}`);
    const { name, code, message } = await onFullDisk("journal", disk, maxBlocks);
    expect({ name, code }).toEqual({ name: "TroupeError", code: "document_unwritable" });
    expect(message).toContain(`${join(disk, "agent.jsonl")} could not be written completely; is the disk full?`);
  }
});
