import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installOnce } from "./installed.mjs";

/** A repository of two packages, and an install that can be counted. */
function open() {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "installed-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put("pnpm-workspace.yaml", "packages:\n  - packages/*\n  - bench\n\ncatalog:\n  zod: 4\n");
  put("pnpm-lock.yaml", "lockfileVersion: 9");
  for (const place of [".", "packages/a", "bench"]) put(`${place}/package.json`, "{}");
  let installs = 0;
  const install = async () => {
    installs += 1;
    put("node_modules/.modules.yaml", "storeDir: /home/ada");
    for (const place of ["packages/a", "bench"])
      put(`${place}/node_modules/zod`, readFileSync(join(root, "pnpm-lock.yaml"), "utf8"));
  };
  return {
    root,
    put,
    install,
    run: (version = "12.18.0", how = install) => installOnce(root, version, how),
    installs: () => installs,
  };
}

test("an existing installation is not repeated, for any home directory", async () => {
  const { run, installs } = open();
  await run();
  await run();
  expect(installs()).toBe(1);
});

type Repository = ReturnType<typeof open>;

test.each<[string, (repository: Repository) => void]>([
  ["the lock file changes", ({ put }) => put("pnpm-lock.yaml", "lockfileVersion: 10")],
  ["the workspace changes", ({ put }) => put("pnpm-workspace.yaml", "packages:\n  - packages/*\n  - bench\n")],
  ["a package wants something else", ({ put }) => put("packages/a/package.json", '{"dependencies":{"zod":"*"}}')],
  ["the root wants something else", ({ put }) => put("package.json", '{"private":true}')],
  ["there is one package more", ({ put }) => put("packages/b/package.json", "{}")],
  ["a package is gone", ({ root }) => rmSync(join(root, "packages/a"), { recursive: true })],
  ["the modules of a package are gone", ({ root }) => rmSync(join(root, "bench/node_modules"), { recursive: true })],
  ["all modules are gone", ({ root }) => rmSync(join(root, "node_modules"), { recursive: true })],
  ["somebody else has installed", ({ put }) => put("node_modules/.modules.yaml", "storeDir: /home/bob")],
])("packages are installed once more where %s, and then not again", async (_, change) => {
  const repository = open();
  await repository.run();
  change(repository);
  await repository.run();
  await repository.run();
  expect(repository.installs()).toBe(2);
});

test("another pnpm installs once more", async () => {
  const { run, installs } = open();
  await run("12.18.0");
  await run("12.19.0");
  expect(installs()).toBe(2);
});

test("an install that fails counts for nothing, also where everything was installed before", async () => {
  const { run, put, install, installs } = open();
  await run();
  put("pnpm-lock.yaml", "lockfileVersion: 10");
  const interrupted = run("12.18.0", async () => {
    await install();
    throw new Error("interrupted");
  });
  await expect(interrupted).rejects.toThrow("interrupted");
  put("pnpm-lock.yaml", "lockfileVersion: 9");
  await run();
  expect(installs()).toBe(3);
});
