import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

test("the whole page is less than 40 KB gzipped, makes no HTML of text, asks nobody else, and says what is in it of others", () => {
  execFileSync(process.execPath, [join(root, "scripts/client.mjs")]);
  const made = join(root, "dist/client");
  const files = ["app.css", "app.js", "icon.svg", "index.html"];
  // What is beside them is for who reads an error, or the package: no path of the server gives it.
  expect(readdirSync(made).sort()).toEqual([...files, "app.js.map", "licenses.txt"].sort());
  for (const name of ["preact", "@preact/signals", "@preact/signals-core"])
    expect(readFileSync(join(made, "licenses.txt"), "utf8")).toMatch(new RegExp(`^${name} \\d[\\w.]* \\(MIT\\)$`, "m"));
  const texts = files.map((name) => readFileSync(join(made, name)));
  expect(texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0)).toBeLessThan(40 * 1024);
  const own = readdirSync(join(root, "src/client"), { recursive: true })
    .map(String)
    .filter((name) => /\.(tsx?|html|css)$/.test(name) && !name.endsWith(".test.ts"))
    .map((name) => [name, readFileSync(join(root, "src/client", name), "utf8")] as const);
  expect(own.length).toBeGreaterThan(20);
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|https?:\/\/|@import|url\(/;
  expect(own.filter(([, text]) => forbidden.test(text)).map(([name]) => name)).toEqual([]);
});
