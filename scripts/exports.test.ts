import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { entryPoints, exportedNames } from "./exports.mjs";
import { libraries } from "./packaging.mjs";
import { root } from "./setup.mjs";

describe.each(libraries())("%s", (dir) => {
  const points = entryPoints(join(root, dir));

  test("its exports are those of its exports.txt; `npm test -- exports -u` rewrites that file, and a lost line is a breaking change", async () => {
    const lines = points.flatMap(({ specifier, values, types }) => [
      ...values.map((name) => `${specifier} ${name}\n`),
      ...types.map((name) => `${specifier} type ${name}\n`),
    ]);
    await expect(lines.join("")).toMatchFileSnapshot(join(root, dir, "exports.txt"));
  });

  test.each(points)("$specifier has at run time the names its source lists", async ({ source, values }) => {
    expect(Object.keys(await import(/* @vite-ignore */ source)).sort()).toEqual(values);
  });
});

test.each([
  ['export { a, type B, c as d } from "./x.ts";', ["a", "d"], ["B"]],
  ['export type { A } from "./x.ts";', [], ["A"]],
  [
    "export const a = 1;\nexport type A = 1;\nexport interface B {}\nexport async function c() {}",
    ["a", "c"],
    ["A", "B"],
  ],
  ["export const Task = 1;\nexport type Task = 1;", ["Task"], []],
  ['/** export { no } */\n// export { no }\nexport {\n  a, // why\n  b,\n} from "./x.ts";', ["a", "b"], []],
])("the names of %j are read", (source, values, types) => {
  expect(exportedNames(source)).toEqual({ values, types });
});

test.each(['export * from "./x.ts";', "export default 1;", "export = x;"])("%j is not a list of names", (source) => {
  expect(() => exportedNames(source)).toThrow("not a list of names");
});
