import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";

const { home, troupe, told, json, refusal } = openTroupe();
const folder = join(home, "project");
mkdirSync(join(folder, "inner"), { recursive: true });
symlinkSync(folder, join(home, "link"));

test("a folder is trusted once somebody said so, with what lies below it and under every name, until it is taken back", () => {
  expect(json("trust", ["trust", folder, "--check"], { status: 1 })).toMatchObject({ isTrusted: false });
  expect(refusal(2, ["trust", folder])).toContain("use --yes");
  expect(json("trust", ["trust", folder, "--yes"]).isTrusted).toBe(true);
  expect(told("trust", join(home, "link", "inner"), "--check")).toContain("is trusted");
  expect(told("trust", folder, "--remove")).toContain("is not trusted");
  expect(troupe(["trust", folder, "--check"]).status).toBe(1);
});

test("what is trusted through a folder above is not trusted less without it", () => {
  told("trust", home, "--yes");
  const { status, stdout } = troupe(["trust", folder, "--remove"]);
  expect([status, stdout]).toEqual([1, expect.stringContaining("a folder above it is")]);
  told("trust", home, "--remove");
});

test("a folder that is not there is refused", () => {
  expect(refusal(3, ["trust", join(home, "nowhere")])).toMatch(/^there is no folder .*nowhere/);
});
