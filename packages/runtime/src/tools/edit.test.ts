import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";

const opened = async (content: string | Buffer, name = "a.txt") => {
  const bench = workbench();
  const path = join(bench.cwd, name);
  writeFileSync(path, content);
  await bench.call("Read", { file_path: path });
  const edit = (old_string: string, new_string: string, more: object = {}) =>
    bench.call("Edit", { file_path: path, old_string, new_string, ...more });
  return { ...bench, path, edit, bytes: () => readFileSync(path) };
};

test("a file that was not read, or has changed since, is refused and stays as it is", async () => {
  const { call, path, edit, bytes } = await opened("one two\n");
  const other = join(path, "../b.txt");
  writeFileSync(other, "one\n");
  expect(await call("Edit", { file_path: other, old_string: "one", new_string: "1" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("has not been read"),
  });
  writeFileSync(path, "one TWO\n");
  expect(await edit("one", "1")).toMatchObject({ isError: true, text: expect.stringContaining("has changed") });
  expect(bytes().toString()).toBe("one TWO\n");
  await call("Read", { file_path: path });
  expect(await edit("one", "1")).toMatchObject({ isError: false });
});

test("an edit after an edit needs no reading, and a file that was only touched has not changed", async () => {
  const { edit, path, bytes } = await opened("one two\n");
  await edit("one", "1");
  writeFileSync(path, bytes());
  expect(await edit("two", "2")).toMatchObject({ isError: false });
  expect(bytes().toString()).toBe("1 2\n");
});

test("what stands more than once is refused with the count, and all of it is replaced when that is said", async () => {
  const { edit, bytes } = await opened("a b a b a\n");
  expect((await edit("a", "$&")).text).toContain("3 times");
  expect(bytes().toString()).toBe("a b a b a\n");
  await edit("a", "$&", { replace_all: true });
  expect(bytes().toString()).toBe("$& b $& b $&\n");
  expect((await edit("absent", "x")).text).toContain("is not in");
});

test("ends of lines, the mark at the start and the encoding are kept", async () => {
  const windows = await opened("\uFEFFone\r\ntwo\r\nthree\r\n");
  await windows.edit("one\ntwo", "1\n2\n2b");
  await windows.edit("three", "3\n3b");
  expect(windows.bytes().toString()).toBe("\uFEFF1\r\n2\r\n2b\r\n3\r\n3b\r\n");
  const mixed = await opened("one\r\ntwo\nthree\nfour\n");
  await mixed.edit("two\nthree", "2\n3");
  expect(mixed.bytes().toString()).toBe("one\r\n2\n3\nfour\n");
  const wide = await opened(Buffer.from("\uFEFFgrüße\n", "utf16le"));
  await wide.edit("grüße", "hello");
  expect(wide.bytes()).toEqual(Buffer.from("\uFEFFhello\n", "utf16le"));
});

test("a file in an encoding that would be harmed is refused", async () => {
  const { edit, bytes } = await opened(Buffer.from([0x67, 0xfc, 0x0a]));
  expect(await edit("g", "h")).toMatchObject({ isError: true, text: expect.stringContaining("UTF-8") });
  expect(bytes()).toEqual(Buffer.from([0x67, 0xfc, 0x0a]));
});

test("an edit changes what it names and no other byte", async () => {
  const { edit, path, call } = await opened("");
  const line = fc.string({ unit: fc.constantFrom("a", "ü", "𝄞", "$", "\\", "\t", " "), minLength: 1, maxLength: 8 });
  const lines = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n")), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(lines, lines, fc.string(), async (before, after, fresh) => {
      const [start, end] = [before, after].map((some) => some.map((pair) => pair.join("")).join(""));
      writeFileSync(path, `${start}<OLD>${end}`);
      await call("Read", { file_path: path });
      const { isError } = await edit("<OLD>", fresh.replace(/[\r\n]/g, ""));
      expect(isError).toBe(false);
      expect(readFileSync(path, "utf8")).toBe(`${start}${fresh.replace(/[\r\n]/g, "")}${end}`);
    }),
    { numRuns: 50 },
  );
});

test("mode and link are kept, and nothing else is left in the directory", async () => {
  const { call, cwd } = workbench();
  mkdirSync(join(cwd, "real"));
  const target = join(cwd, "real", "script.sh");
  writeFileSync(target, "echo one\n");
  chmodSync(target, 0o750);
  symlinkSync("real/script.sh", join(cwd, "link"));
  await call("Read", { file_path: "link" });
  expect(await call("Edit", { file_path: target, old_string: "one", new_string: "two" })).toMatchObject({
    isError: false,
  });
  expect(await call("Edit", { file_path: "link", old_string: "two", new_string: "3" })).toMatchObject({
    isError: false,
  });
  expect(lstatSync(join(cwd, "link")).isSymbolicLink()).toBe(true);
  expect(statSync(target).mode & 0o7777).toBe(0o750);
  expect(readFileSync(target, "utf8")).toBe("echo 3\n");
  expect(readdirSync(join(cwd, "real"))).toEqual(["script.sh"]);
});

test("a sub-agent knows what its parent has read, and the parent not what the sub-agent reads", async () => {
  const parent = await opened("one\n");
  const child = workbench({ seen: parent.agent.seen.clone(), cwd: parent.cwd });
  writeFileSync(join(parent.cwd, "b.txt"), "two\n");
  await child.call("Read", { file_path: "b.txt" });
  expect(await child.call("Edit", { file_path: "a.txt", old_string: "one", new_string: "1" })).toMatchObject({
    isError: false,
  });
  expect(await parent.edit("1", "2")).toMatchObject({ isError: true, text: expect.stringContaining("has changed") });
  expect(await parent.call("Edit", { file_path: "b.txt", old_string: "two", new_string: "2" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("has not been read"),
  });
});
