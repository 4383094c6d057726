import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";

const bench = (files: Readonly<Record<string, string | Buffer>> = {}) => {
  const made = workbench();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(made.cwd, name), content);
  return made;
};

test("lines are numbered as by cat -n, and a last end of line begins no line", async () => {
  const { call, cwd } = bench({ "a.txt": "one\r\ntwo\n\nfour\n" });
  const expected = execFileSync("cat", ["-n", join(cwd, "a.txt")], { encoding: "utf8" }).replace("\r", "");
  expect((await call("Read", { file_path: "a.txt" })).text).toBe(expected.trimEnd());
});

test("a part is shown with its own numbers, and where to go on", async () => {
  const { call } = bench({ "a.txt": Array.from({ length: 9 }, (_, at) => `line ${at + 1}`).join("\n") });
  const { text } = await call("Read", { file_path: "a.txt", offset: 4, limit: 2 });
  expect(text).toBe("     4\tline 4\n     5\tline 5\n… [lines 4 to 5 of 9; continue with offset 6]");
  expect(await call("Read", { file_path: "a.txt", offset: 10 })).toMatchObject({
    isError: true,
    text: expect.stringContaining("9 lines"),
  });
});

test("a file of a hundred thousand lines, and a line of a million characters, give a result of bounded size", async () => {
  const { call } = bench({
    "many.txt": "x".repeat(99).concat("\n").repeat(100_000),
    "long.txt": "y".repeat(1_000_000),
  });
  const many = await call("Read", { file_path: "many.txt" });
  expect(many.text.length).toBeLessThan(250_000);
  expect(many.text).toContain("of 100000; continue with offset");
  const long = await call("Read", { file_path: "long.txt" });
  expect(long.text.length).toBeLessThan(3_000);
  expect(long.text).toContain("the line has 1000000 characters");
});

test("a huge file is refused whole, and read in part without being read to its end", async () => {
  const { call, cwd } = bench();
  const file = openSync(join(cwd, "huge.txt"), "w");
  for (let line = 1; line <= 2_000; line += 1) writeSync(file, `line number ${line}\n`);
  closeSync(file);
  truncateSync(join(cwd, "huge.txt"), 64 * 1024 ** 3);
  const refused = await call("Read", { file_path: "huge.txt" });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("offset and limit") });
  const { text } = await call("Read", { file_path: "huge.txt", offset: 1_500, limit: 1 });
  expect(text).toBe("  1500\tline number 1500\n… [lines 1500 to 1500 of more; continue with offset 1501]");
});

test("a pipe, a device, a directory, a binary file and a loop of links are refused at once", async () => {
  const { call, cwd } = bench({ binary: Buffer.from([1, 2, 0, 3]) });
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  mkdirSync(join(cwd, "directory"));
  symlinkSync("loop", join(cwd, "loop"));
  symlinkSync("/dev/zero", join(cwd, "zero"));
  for (const [name, words] of [
    ["pipe", "a pipe"],
    ["zero", "a device"],
    ["directory", "Glob"],
    ["binary", "binary"],
    ["loop", "leads to itself"],
    ["absent", "does not exist"],
  ] as const) {
    expect(await call("Read", { file_path: name }), name).toMatchObject({
      isError: true,
      text: expect.stringContaining(words),
    });
  }
});

test("an image is shown as an image by what it holds, and one that is too large for the API is refused", async () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const { call } = bench({ "picture.txt": png, "large.png": Buffer.concat([png, Buffer.alloc(4_000_000)]) });
  const { content } = await call("Read", { file_path: "picture.txt" });
  const source = { type: "base64", media_type: "image/png", data: png.toString("base64") };
  expect(content).toEqual([{ type: "image", source }]);
  expect(await call("Read", { file_path: "large.png" })).toMatchObject({ isError: true });
});

test("the mark at the start of a file is no character of it, and UTF-16 is read", async () => {
  const { call } = bench({ bom: "\uFEFFhello\n", wide: Buffer.from("\uFEFFgrüße\nzwei\n", "utf16le") });
  expect((await call("Read", { file_path: "bom" })).text).toBe("     1\thello");
  expect((await call("Read", { file_path: "wide" })).text).toBe("     1\tgrüße\n     2\tzwei");
});

test("a reading reaches the absolute path, with the home and the directory of the agent", () => {
  const { toolCalled, cwd } = bench();
  const reach = (file_path: string) => toolCalled("Read").reaches?.({ file_path }, cwd);
  expect(reach("../x/./a")).toEqual([{ kind: "read", path: join(cwd, "../x/a") }]);
  expect(reach("~/a")).toEqual([{ kind: "read", path: join(cwd, "a") }]);
  expect(reach("/etc/hosts")).toEqual([{ kind: "read", path: "/etc/hosts" }]);
});
