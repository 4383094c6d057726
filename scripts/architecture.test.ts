import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { rooms } from "./rooms.ts";

/** What tests may import besides. */
const forTests = [
  "vitest",
  "fast-check",
  "ajv/dist/2020.js",
  "@anthropic-ai/sdk",
  "@modelcontextprotocol/server",
  "@modelcontextprotocol/server/stdio",
  "@troupe/fake-anthropic",
  "node:*",
];

/** For tests of all rooms: the one way to wait, free ports, files that look old, room in memory. */
const forAllTests = ["age", "awaited", "memory", "port"].map((name) => `scripts/${name}.ts`);

/** What every script that bundles takes from here: the licences of what is in the bundle. */
const forAllBundles = "scripts/licenses.mjs";

/** Files that are data or written by a program, and may be as long as they are. */
const longFiles: readonly string[] = [];

const bareNames = /^(utils?|helpers?|common|types?|constants?|misc)\./;

const skipped = new Set(["node_modules", "dist", ".git", ".tools", ".turbo", ".reports", "corpus"]);
const below = (dir: string): readonly string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    return entry.isDirectory() ? below(join(dir, entry.name)) : [join(dir, entry.name)];
  });

const all = below(".").map((path) => path.split(sep).join("/"));
const sources = all.filter((path) => /\.(tsx?|mjs|js)$/.test(path));
const isTest = (path: string) => path.endsWith(".test.ts") || /^(test-e2e|packages\/[^/]+\/test)\//.test(path);
const published = sources.filter((path) => /^packages\/[^/]+\/src\//.test(path) && !isTest(path));
const textOf = (path: string) => readFileSync(path, "utf8");

const importPattern =
  /^\s*(?:import|export)\b[^"';]*?\bfrom\s*"([^"$]+)"|^\s*import\s*"([^"$]+)"|\bimport\(\s*"([^"$]+)"/gm;
const importsOf = (path: string) => [...textOf(path).matchAll(importPattern)].map(([, a, b, c]) => a ?? b ?? c ?? "");

/** The imports of a file that the table does not allow. */
function forbidden(room: string, path: string): readonly string[] {
  const table = rooms[room] ?? {};
  return importsOf(path).filter((specifier) => {
    const file = join(dirname(path), specifier);
    if (isTest(path) ? forAllTests.includes(file) : dirname(path) === join(room, "scripts") && file === forAllBundles)
      return false;
    if (specifier.startsWith(".")) return relative(room, join(dirname(path), specifier)).startsWith("..");
    const names = specifier.startsWith("node:") ? [specifier, "node:*"] : [specifier];
    if (isTest(path) && names.some((name) => forTests.includes(name))) return false;
    return !names.some((name) => {
      const folder = table[name];
      return folder !== undefined && path.startsWith(join(room, folder));
    });
  });
}

describe("every package imports only what the table allows", () => {
  const manifests = all.filter((path) => path.endsWith("/package.json")).map(dirname);

  test.each(manifests)("%s is in the table", (room) => {
    expect(rooms).toHaveProperty([room]);
  });

  test.each(Object.keys(rooms))("%s keeps to its row", (room) => {
    const found = sources
      .filter((path) => path.startsWith(`${room}/`))
      .map((path) => [path, forbidden(room, path)] as const);
    const hint = "import through a package's public name, or change the table with a page in docs/decisions";
    expect(
      found.filter(([, specifiers]) => specifiers.length > 0),
      hint,
    ).toEqual([]);
  });
});

test("no object literal is spread in place, which would switch the check for excess properties off", () => {
  const spreading = sources.filter((path) => /\.\.\.\{/.test(textOf(path)));
  expect(spreading, "write the properties themselves").toEqual([]);
});

/** The rooms of the runtime, a file beside them being one too: each may import those after it. */
const storeys = [
  ...["index.ts", "session", "own", "tools", "agents", "agent", "hooks"],
  ...["confinement", "project", "permissions", "skills", "mcp", "jobs", "queue.ts", "loop", "prompt", "journal"],
  ...["model", "settings", "given-file.ts", "path-pattern.ts", "whole-file.ts", "real-path.ts"],
  ...["wildcard.ts", "workspace.ts"],
];

test("no room of the runtime imports one above it", () => {
  const home = "packages/runtime/src";
  const roomOf = (path: string) => relative(home, path).split(sep)[0] ?? "";
  const within = published.filter((path) => path.startsWith(home));
  expect(
    within.filter((path) => !storeys.includes(roomOf(path))),
    "say in storeys where the room stands",
  ).toEqual([]);
  const upwards = within.flatMap((path) =>
    importsOf(path)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => join(dirname(path), specifier))
      .filter((other) => storeys.indexOf(roomOf(other)) < storeys.indexOf(roomOf(path)))
      .map((other) => `${path} imports ${other}`),
  );
  expect(upwards, "move what both need to the lower room").toEqual([]);
});

test("a part of a session is named only after it exists: not even a function that runs later names one below it", () => {
  const [, body = ""] = textOf("packages/runtime/src/session/open.ts").split("\nfunction open(");
  const code = body.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) => comment.replace(/\S/g, " "));
  const parts = [...code.matchAll(/^ {2}(?:const|let|(?:async )?function) (\{[^}]*\}|\w+)/gm)].flatMap(
    ({ index, 1: names = "" }) => [...names.matchAll(/\w+(?=\s*(?:[,}=]|$))/g)].map(([name]) => ({ name, index })),
  );
  expect(parts.length).toBeGreaterThan(40);
  const early = parts.filter(({ name, index }) =>
    new RegExp(`(?<![.\\w"])${name}\\b(?!\\s*:)`).test(code.slice(0, index)),
  );
  expect(
    early.map(({ name }) => name),
    "put it above what names it",
  ).toEqual([]);
});

test("no file is longer than 300 lines", () => {
  const long = sources.filter((path) => textOf(path).trimEnd().split("\n").length > 300);
  expect(long, "split these files where there is a seam").toEqual(longFiles);
});

test("there is no class but the one error", () => {
  const classes = published.flatMap(
    (path) => textOf(path).match(/^(?:export )?(?:default )?(?:abstract )?class \w+/gm) ?? [],
  );
  expect(classes, "write functions over plain data").toEqual(["export class TroupeError"]);
});

test("every file is named after what it holds", () => {
  expect(sources.filter((path) => bareNames.test(basename(path)))).toEqual([]);
});

test("packages do not read the environment", () => {
  expect(published.filter((path) => textOf(path).includes("process.env"))).toEqual([]);
});

test("one package starts processes, and the suite that judges others does so by itself", () => {
  const starting = published.filter((path) => /from "(?:node:child_process|execa)"/.test(textOf(path)));
  expect(starting.filter((path) => !path.startsWith("packages/conformance/"))).toEqual([
    "packages/process/src/start.ts",
  ]);
});

test("in the store exactly one file renames and exactly one takes locks", () => {
  const holding = (...patterns: RegExp[]) =>
    published.filter(
      (path) => path.startsWith("packages/store/") && patterns.every((pattern) => pattern.test(textOf(path))),
    );
  expect(holding(/\brename(Sync)?\(/), "publish through publication.ts").toEqual([
    "packages/store/src/files/publication.ts",
  ]);
  expect(holding(/\blockOf\(/, /\bmkdir(Sync)?\(/), "take locks through lock.ts").toEqual([
    "packages/store/src/files/lock.ts",
  ]);
});

test("every exported name is written down where it is exported", () => {
  expect(sources.filter((path) => /^export \*/m.test(textOf(path)))).toEqual([]);
});

describe("a clone installs from whatever registry its machine uses", () => {
  test("the lock file names no address", () => {
    expect(textOf("pnpm-lock.yaml").match(/.*(?:tarball:|https?:\/\/).*/g) ?? []).toEqual([]);
  });

  test("no .npmrc names a registry", () => {
    expect(all.filter((path) => basename(path) === ".npmrc" && /registry/i.test(textOf(path)))).toEqual([]);
  });
});
