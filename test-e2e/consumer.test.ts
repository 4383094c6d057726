import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = ["protocol", "store"].map((name) => join(root, "packages", name));
const run = promisify(execFile);

let project: string;
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "troupe-consumer-"));
  for (const cwd of packages) await run("pnpm", ["pack", "--pack-destination", project], { cwd });
  const tarballs = readdirSync(project).map((name) => join(project, name));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  // Its dependencies come from the workspace, so that npm needs no network.
  const dependencies = ["zod", "yaml"].map((name) => realpathSync(join(root, "packages/protocol/node_modules", name)));
  const flags = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  await run("npm", ["install", ...flags, ...tarballs, ...dependencies], { cwd: project });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/**
 * The names of exports.txt as the imports of a program that uses them all, and proves that none of
 * them is `any`.
 */
function programOfEveryName(): string {
  const lines = packages.flatMap((dir) => readFileSync(join(dir, "exports.txt"), "utf8").trim().split("\n"));
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

/**
 * The first example of a README, and the output that the comments behind its console.log calls
 * promise.
 */
function readmeExample(dir: string): { program: string; prints: readonly string[] } {
  const [, program] = /```ts\n(.*?)```/s.exec(readFileSync(join(dir, "README.md"), "utf8")) ?? [];
  if (program === undefined) throw new Error("README.md has no ts block");
  const prints = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said = ""]) => said);
  return { program, prints };
}

const resolutions = {
  nodenext: { module: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
};

/** Each compiler and each resolution: a resolution finds the same files for all compilers. */
const consumers = [
  ["typescript-5", "nodenext"],
  ["typescript-6", "bundler"],
  ["typescript", "nodenext"],
  ["typescript", "bundler"],
] as const;

/**
 * Compiles a program in a directory of its own, as strictly as a consumer may, our declarations
 * included.
 */
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

test.each(packages.map((dir) => [basename(dir), dir] as const))(
  "the README's example of %s runs in a project that installed the packed packages, and prints what the README says",
  async (name, dir) => {
    const { program, prints } = readmeExample(dir);
    const node = { ...resolutions.nodenext, types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
    const { place, complaints } = await compile(`readme-${name}`, "typescript", node, program);
    expect(complaints).toBe("");
    const { stdout } = await run(process.execPath, ["program.js"], {
      cwd: place,
      env: { ...process.env, TMPDIR: place },
    });
    expect(stdout.trimEnd().split("\n")).toEqual(prints);
  },
);

test.each(consumers)(
  "every exported name has its type for a consumer on %s with %s resolution",
  async (compiler, how) => {
    const { complaints } = await compile(`${compiler}-${how}`, compiler, resolutions[how], programOfEveryName());
    expect(complaints).toBe("");
  },
);
