import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");
const isOurs = (folder: string): boolean => !/^(node_modules|dist|corpus|foreign|\..*)$/.test(folder);
/** Folders that are not ours are not entered: other tests make and remove files there meanwhile. */
const pagesBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return isOurs(entry.name) ? pagesBelow(`${folder}/${entry.name}`) : [];
    return entry.name.endsWith(".md") ? [`${folder}/${entry.name}`] : [];
  });
const pages = ["apps", "docs", "packages", "test-e2e", "bench"].flatMap(pagesBelow);

/** Every program that a page shows, by the page and the line it begins in. */
const programs = ["README.md", ...pages].flatMap((path) => {
  const page = readFileSync(join(root, path), "utf8");
  return [...page.matchAll(/^```(?:ts|typescript|js|javascript)\n(.*?)^```/gms)].map(({ 1: text = "", index }) => {
    const line = page.slice(0, index).split("\n").length;
    return { name: `${path.replaceAll("/", "_")}_${line}.ts`, text };
  });
});

const strict = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  module: "nodenext",
  target: "es2023",
  verbatimModuleSyntax: true,
  noEmit: true,
  skipLibCheck: false,
};

test("every program that a page shows compiles in strict TypeScript", () => {
  const place = mkdtempSync(join(tmpdir(), "readme-types-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  mkdirSync(join(place, "node_modules/@troupe"), { recursive: true });
  for (const name of readdirSync(join(root, "packages")))
    symlinkSync(join(root, "packages", name), join(place, "node_modules/@troupe", name));
  symlinkSync(join(root, "test-e2e/node_modules/@anthropic-ai"), join(place, "node_modules/@anthropic-ai"));
  const types = { types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
  writeFileSync(join(place, "package.json"), '{"type": "module"}');
  writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...strict, ...types } }));
  for (const { name, text } of programs) writeFileSync(join(place, name), text);
  const tsc = join(root, "test-e2e/node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "--pretty", "false"], { cwd: place, encoding: "utf8" });
  expect(stdout).toBe("");
  const shown = new Set(programs.map(({ name }) => name.replace(/_\d+\.ts$/, "")));
  for (const name of ["protocol", "store", "runtime", "conformance", "fake-anthropic"])
    expect(shown).toContain(`packages_${name}_README.md`);
});

test("the declarations of the runtime name no package that its user need not install", () => {
  const read = (file: string, found = new Map<string, string>()): ReadonlyMap<string, string> => {
    if (found.has(file)) return found;
    const text = readFileSync(file, "utf8");
    found.set(file, text);
    for (const [, next = ""] of text.matchAll(/from "(\.[^"]+)"/g))
      read(join(file, "..", next).replace(/\.[jt]s$/, ".d.ts"), found);
    return found;
  };
  const all = read(join(root, "packages/runtime/dist/index.d.ts"));
  expect(all.size).toBeGreaterThan(50);
  expect([...all].filter(([, text]) => text.includes("@modelcontextprotocol/")).map(([file]) => file)).toEqual([]);
});
