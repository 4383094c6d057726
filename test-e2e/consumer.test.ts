import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packageDir = join(root, "packages/protocol");
const run = promisify(execFile);

let project: string;
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "troupe-consumer-"));
  await run("pnpm", ["pack", "--pack-destination", project], { cwd: packageDir });
  const [tarball = ""] = readdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  // Its dependencies come from the workspace, so that npm needs no network.
  const dependencies = ["zod", "yaml"].map((name) => realpathSync(join(packageDir, "node_modules", name)));
  const flags = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  await run("npm", ["install", ...flags, join(project, tarball), ...dependencies], { cwd: project });
}, 120_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** The names of exports.txt as the imports of a program that uses them all, and proves that none of them is `any`. */
function programOfEveryName(): string {
  const lines = readFileSync(join(packageDir, "exports.txt"), "utf8").trim().split("\n");
  const imports = lines.map((line, n) => {
    const [specifier, ...name] = line.split(" ");
    return `import { ${name.join(" ")} as n${n} } from "${specifier}";`;
  });
  const specifiers = [...new Set(lines.map((line) => line.split(" ")[0]))];
  return [
    ...imports,
    "type AnyNames<M> = { [K in keyof M]: 0 extends 1 & M[K] ? K : never }[keyof M];",
    ...specifiers.map(
      (specifier, n) =>
        `export const noneIsAny${n}: [AnyNames<typeof import("${specifier}")>] extends [never] ? true : never = true;`,
    ),
  ].join("\n");
}

/** The first example of the README, and what it says each console.log prints: the comment behind it. */
function readmeExample(): { program: string; prints: readonly string[] } {
  const [, program] = /```ts\n(.*?)```/s.exec(readFileSync(join(packageDir, "README.md"), "utf8")) ?? [];
  if (program === undefined) throw new Error("README.md has no ts block");
  const prints = [...program.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said = ""]) => said);
  return { program, prints };
}

const compilers = ["typescript-5", "typescript-6", "typescript"];

const resolutions = {
  nodenext: { module: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
};

/** Compiles a program in a directory of its own, as strictly as a consumer may, our declarations included. */
async function compile(name: string, compiler: string, options: object, program: string) {
  const place = join(project, name);
  const strict = { strict: true, skipDefaultLibCheck: true, target: "es2022", types: [] };
  mkdirSync(place);
  writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...strict, ...options } }));
  writeFileSync(join(place, "program.ts"), program);
  const tsc = join(root, "test-e2e/node_modules", compiler, "bin/tsc");
  const failure = (error: { stdout: string; stderr: string }) => error;
  const { stdout, stderr } = await run(process.execPath, [tsc, "--pretty", "false"], { cwd: place }).catch(failure);
  return { place, complaints: stdout + stderr };
}

test("the README's example runs in a project that installed the packed package, and prints what the README says", async () => {
  const { program, prints } = readmeExample();
  const { place, complaints } = await compile("readme", "typescript", resolutions.nodenext, program);
  expect(complaints).toBe("");
  const { stdout } = await run(process.execPath, ["program.js"], { cwd: place });
  expect(stdout.trimEnd().split("\n")).toEqual(prints);
}, 60_000);

test.each(
  compilers.flatMap((compiler) =>
    Object.entries(resolutions).map(([how, options]) => [compiler, how, options] as const),
  ),
)(
  "every exported name has its type for a consumer on %s with %s resolution",
  async (compiler, how, options) => {
    const { complaints } = await compile(`${compiler}-${how}`, compiler, options, programOfEveryName());
    expect(complaints).toBe("");
  },
  60_000,
);
