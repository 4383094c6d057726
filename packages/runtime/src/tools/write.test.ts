import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";

test("a new file is made with the directories above it, and may be edited at once", async () => {
  const { call, cwd } = workbench();
  expect(await call("Write", { file_path: "deep/er/a.txt", content: "one\n" })).toMatchObject({ isError: false });
  expect(await call("Edit", { file_path: "deep/er/a.txt", old_string: "one", new_string: "two" })).toMatchObject({
    isError: false,
  });
  expect(readFileSync(join(cwd, "deep/er/a.txt"), "utf8")).toBe("two\n");
  expect(readdirSync(join(cwd, "deep/er"))).toEqual(["a.txt"]);
});

test("a file that exists is replaced only when it was read and has not changed, and keeps its mode", async () => {
  const { call, cwd } = workbench();
  const path = join(cwd, "a.sh");
  writeFileSync(path, "old\n");
  chmodSync(path, 0o711);
  const write = () => call("Write", { file_path: path, content: "new\n" });
  expect((await write()).text).toContain("has not been read");
  await call("Read", { file_path: path });
  writeFileSync(path, "other\n");
  expect((await write()).text).toContain("has changed");
  expect(readFileSync(path, "utf8")).toBe("other\n");
  await call("Read", { file_path: path });
  expect(await write()).toMatchObject({ isError: false });
  expect(readFileSync(path, "utf8")).toBe("new\n");
  expect(statSync(path).mode & 0o7777).toBe(0o711);
});

test("a reader never sees half of a file", async () => {
  const { call, cwd } = workbench();
  const path = join(cwd, "a.txt");
  const contents = ["a", "b"].map((letter) => letter.repeat(3_000_000));
  await call("Write", { file_path: path, content: contents[0] });
  const seen = new Set<number>();
  let isWriting = true;
  const watching = (async () => {
    while (isWriting) {
      seen.add(statSync(path).size);
      await new Promise(setImmediate);
    }
  })();
  for (const content of [...contents, ...contents]) await call("Write", { file_path: path, content });
  isWriting = false;
  await watching;
  expect([...seen]).toEqual([3_000_000]);
});

test("a pipe, a directory and a link that leads nowhere are refused and stay what they are", async () => {
  const { call, cwd } = workbench();
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  symlinkSync("nowhere", join(cwd, "dangling"));
  for (const file_path of ["pipe", ".", "dangling"]) {
    expect(await call("Write", { file_path, content: "x" }), file_path).toMatchObject({ isError: true });
  }
  expect(existsSync(join(cwd, "nowhere"))).toBe(false);
  expect(statSync(join(cwd, "pipe")).isFIFO()).toBe(true);
});
