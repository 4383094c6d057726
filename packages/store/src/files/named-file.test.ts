import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { test } from "../../test/scratch.ts";
import { readNamedFile } from "./named-file.ts";

const refusal = (kind: string) =>
  expect.objectContaining({ code: "document_unreadable", message: expect.stringContaining(kind) });
const saying = (code: string, path: string) => expect.objectContaining({ code, path });

test("a named file is read whole, in whatever encoding, and so is what a link leads to", ({ root }) => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => at % 251);
  writeFileSync(join(root, "file"), bytes);
  symlinkSync("file", join(root, "link"));
  for (const name of ["file", "link"]) expect(Buffer.compare(readNamedFile(join(root, name)), bytes)).toBe(0);
  writeFileSync(join(root, "empty"), "");
  expect(readNamedFile(join(root, "empty"))).toHaveLength(0);
});

test("a pipe, a socket, a device and links to them are refused at once, each by its path and what it is", async ({
  root,
}) => {
  const [pipe, socket] = [join(root, "pipe"), join(root, "socket")];
  execFileSync("mkfifo", [pipe]);
  const server = createServer().listen(socket);
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  for (const [at, [target, kind]] of [
    [pipe, "a pipe"] as const,
    [socket, "a socket"] as const,
    ["/dev/zero", "a device"] as const,
  ].entries()) {
    const link = join(root, `link-${at}`);
    symlinkSync(target, link);
    for (const path of [target, link]) expect(() => readNamedFile(path)).toThrow(refusal(`${path} is ${kind}`));
  }
});

test("what the system refuses is told with its code and the path", ({ root }) => {
  const [loop, none, folder] = [join(root, "loop"), join(root, "none"), join(root, "folder")];
  symlinkSync("loop", loop);
  mkdirSync(folder);
  writeFileSync(join(root, "file"), "");
  expect(() => readNamedFile(loop)).toThrow(saying("ELOOP", loop));
  expect(() => readNamedFile(none)).toThrow(saying("ENOENT", none));
  expect(() => readNamedFile(folder)).toThrow(saying("EISDIR", folder));
  expect(() => readNamedFile(join(root, "file/below"))).toThrow(saying("ENOTDIR", join(root, "file/below")));
});

test("no more is read than the limit, which the refusal names, also of a file whose size says nothing", ({ root }) => {
  const file = join(root, "file");
  writeFileSync(file, "0123456789");
  expect(readNamedFile(file, 10)).toHaveLength(10);
  appendFileSync(file, "x");
  expect(() => readNamedFile(file, 10)).toThrow(refusal("more than the 10 bytes"));
  truncateSync(file, 2 ** 40);
  expect(() => readNamedFile(file)).toThrow(refusal("more than the 67108864 bytes"));
  // The files of /proc have a size of 0, whatever can be read of them.
  if (process.platform === "linux") expect(() => readNamedFile("/proc/self/maps", 100)).toThrow(refusal("100 bytes"));
});
