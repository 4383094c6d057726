import { existsSync, mkdtempSync, rmdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isFault } from "../fault.ts";
import type { Declaration, Quirks } from "../target.ts";
import { conventionOf } from "./foreign-lock.ts";

const directory = mkdtempSync(join(tmpdir(), "foreign-lock-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const declaring = (quirks: Quirks) => ({ quirks }) as Declaration;
const complete: Quirks = { lockStyle: "mkdir", lockPath: "<file>.lock", staleMs: 10_000 };

test("a lock that is held is the declared directory, until it is released", () => {
  const file = join(directory, "a.json");
  const lock = conventionOf(declaring(complete)).hold(file);
  expect(statSync(`${file}.lock`).isDirectory()).toBe(true);
  expect(lock.isHeld()).toBe(true);
  lock.release();
  expect(existsSync(`${file}.lock`)).toBe(false);
});

test("a lock of files is a file", () => {
  const file = join(directory, "b.json");
  conventionOf(declaring({ ...complete, lockStyle: "file" })).hold(file);
  expect(statSync(`${file}.lock`).isFile()).toBe(true);
});

test("a lock looks as old as it is made to look, and is still the same", () => {
  const lock = conventionOf(declaring(complete)).hold(join(directory, "c.json"));
  lock.age(8_500);
  expect(lock.ageMs()).toBeGreaterThanOrEqual(8_499);
  expect(lock.isHeld()).toBe(true);
});

test("a lock that somebody took away is held no more, and one that came after it is not released", () => {
  const file = join(directory, "d.json");
  const { hold } = conventionOf(declaring(complete));
  const first = hold(file);
  rmdirSync(`${file}.lock`);
  expect([first.isHeld(), first.ageMs()]).toEqual([false, undefined]);
  hold(file).age(1_000);
  first.release();
  expect(existsSync(`${file}.lock`)).toBe(true);
});

test.each([
  [{}, "CheckFailure"],
  [{ ...complete, lockPath: "/run/lock" }, "CheckFailure"],
  [{ ...complete, lockStyle: "flock" }, "Untestable"],
])("the verdict for the declaration %j is %s", (quirks, name) => {
  const thrown = (() => {
    try {
      return conventionOf(declaring(quirks));
    } catch (error) {
      return error;
    }
  })();
  expect(isFault(thrown) && thrown.name).toBe(name);
});
