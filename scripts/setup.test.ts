import { delimiter } from "node:path";
import { expect, test } from "vitest";
import { pnpmVersion, root, toolEnvironment } from "./setup.mjs";

test.each([
  ["pnpm@12.18.0", "12.18.0"],
  ["pnpm@12.18.0+sha512.abc", "12.18.0"],
])("the pnpm of %s is %s", (packageManager, version) => {
  expect(pnpmVersion(packageManager)).toBe(version);
});

test.each(["yarn@4.0.0", "pnpm@latest", ""])("%j names no exact pnpm, and set-up says so", (packageManager) => {
  expect(() => pnpmVersion(packageManager)).toThrow("names no pnpm version");
});

const own = { HOME: "/home/ada", PATH: "/usr/bin", NODE_ENV: "production", EDITOR: "ed" };

test("tools find our pnpm and our binaries before anything that is installed", () => {
  const [first, second, third] = toolEnvironment(own, "/pnpm/bin", () => true)["PATH"]?.split(delimiter) ?? [];
  expect([first, second, third]).toEqual(["/pnpm/bin", `${root}/node_modules/.bin`, "/usr/bin"]);
});

test("tools send no telemetry, and NODE_ENV does not take their dependencies away", () => {
  const env = toolEnvironment(own, "/pnpm/bin", () => true);
  expect(env).toMatchObject({ DO_NOT_TRACK: "1", TURBO_TELEMETRY_DISABLED: "1", EDITOR: "ed", HOME: "/home/ada" });
  expect(env).not.toHaveProperty("NODE_ENV");
  expect(env).not.toHaveProperty("npm_config_cache");
});

test.each([
  ["cannot be written", own],
  ["is not set", { PATH: "/usr/bin" }],
])("caches go below .tools/home where the home %s", (_, environment) => {
  const env = toolEnvironment(environment, "/pnpm/bin", () => false);
  for (const name of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "npm_config_cache"]) {
    expect(env[name]).toContain(`${root}/.tools/home/`);
  }
});
