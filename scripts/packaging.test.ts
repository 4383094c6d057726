import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { contentProblems } from "./packaging.mjs";
import { readTarball } from "./tarball.mjs";

const origin = { url: "git+https://example.org/troupe.git", directory: "packages/a" };
const manifest = (more: object = {}) =>
  JSON.stringify({ keywords: ["agents"], repository: { type: "git", ...origin }, ...more });
const good = {
  "package/package.json": manifest(),
  "package/README.md": "#",
  "package/LICENSE": "MIT",
  "package/dist/index.js": "",
  "package/dist/index.js.map": "",
};
const files = (contents: Record<string, string>) =>
  new Map(Object.entries(contents).map(([name, text]) => [name, Buffer.from(text)]));

test("a package with a manifest, a README, a licence and its output is fit to publish", () => {
  expect(contentProblems(files(good), origin)).toEqual([]);
});

test("a file that only passes names on needs no source map", () => {
  const passing = 'import * as fs from "node:fs";\nexport { fs };\nexport { t as run } from "./run.js";\n';
  expect(contentProblems(files({ ...good, "package/dist/more.js": passing }), origin)).toEqual([]);
  expect(contentProblems(files({ ...good, "package/dist/more.js": `${passing}fs.rm();\n` }), origin)).toHaveLength(1);
});

test.each([
  [
    "the private source condition",
    { "package/package.json": manifest({ exports: { "@troupe/source": "./src/index.ts" } }) },
  ],
  ["a workspace version", { "package/package.json": manifest({ dependencies: { a: "workspace:*" } }) }],
  ["a catalog version", { "package/package.json": manifest({ dependencies: { a: "catalog:" } }) }],
  ["another repository", { "package/package.json": manifest({ repository: { url: "x", directory: "packages/a" } }) }],
  ["no keyword", { "package/package.json": manifest({ keywords: [] }) }],
  ["a private manifest", { "package/package.json": manifest({ private: true }) }],
  ["a file without its source map", { "package/dist/more.js": "" }],
  ["a compiled test", { "package/dist/index.test.d.ts": "" }],
  ["the compiler's notes", { "package/dist/.tsbuildinfo": "" }],
  ["sources", { "package/src/index.ts": "" }],
])("%s in a package is a problem", (_, extra) => {
  expect(contentProblems(files({ ...good, ...extra }), origin)).toHaveLength(1);
});

test.each(Object.keys(good).slice(0, 3))("a package without %s is a problem", (name) => {
  const { [name]: _, ...rest } = good as Record<string, string>;
  expect(contentProblems(files(rest), origin)).toEqual([`${name} is missing`]);
});

/**
 * One entry as tar lays it out: a header of 512 bytes, the content filled up to a multiple of that.
 */
function entry(name: string, text: string, kind = "0"): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(`${text.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write(kind, 156);
  return Buffer.concat([header, Buffer.from(text.padEnd(Math.ceil(text.length / 512) * 512, "\0"))]);
}

test("a tarball is read file by file, whatever their lengths", () => {
  const long = "x".repeat(1000);
  const tar = Buffer.concat([
    entry("package/", "", "5"),
    entry("package/a", long),
    entry("package/b", ""),
    entry("package/c", "c"),
    Buffer.alloc(1024),
  ]);
  const read = readTarball(gzipSync(tar));
  expect([...read].map(([name, content]) => [name, content.toString()])).toEqual([
    ["package/a", long],
    ["package/b", ""],
    ["package/c", "c"],
  ]);
});

test("a tar entry of an unknown kind is refused, not skipped", () => {
  expect(() => readTarball(gzipSync(entry("package/link", "", "2")))).toThrow("kind 2");
});
