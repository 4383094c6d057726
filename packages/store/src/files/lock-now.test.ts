import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect } from "vitest";
import { test } from "../../test/scratch.ts";
import { withLock, withLockNow } from "./lock.ts";
import { publish, publishAlone } from "./publication.ts";

const limits = { deadlineMs: 50, staleMs: 10_000 };

/** Puts a foreign lock beside the file, created so many seconds ago. */
function lock(file: string, seconds: number) {
  writeFileSync(file, "old");
  mkdirSync(`${file}.lock`);
  const then = Date.now() / 1_000 - seconds;
  utimesSync(`${file}.lock`, then, then);
}

test("what cannot wait for a promise is refused while another has the lock", ({ file }) => {
  lock(file, 0);
  expect(() => withLockNow(file, () => {}, limits)).toThrow(expect.objectContaining({ code: "lock_unavailable" }));
  expect(readdirSync(dirname(file)).sort()).toEqual(["alice.json", "alice.json.lock"]);
});

test("it takes over a lock that was left behind, publishes under it and gives it up", ({ file }) => {
  lock(file, 12);
  withLockNow(file, (held) => publish(held, file, "new"), limits);
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(readdirSync(dirname(file))).toEqual(["alice.json"]);
});

test("it excludes those who wait for promises, also when its work fails", async ({ file }) => {
  const fail = () => {
    expect(existsSync(`${file}.lock`)).toBe(true);
    throw new Error("no");
  };
  expect(() => withLockNow(file, fail, limits)).toThrow("no");
  await withLock(file, () => {
    expect(() => withLockNow(file, () => {}, limits)).toThrow(expect.objectContaining({ code: "lock_unavailable" }));
  });
  expect(existsSync(`${file}.lock`)).toBe(false);
});

test("a file that nobody else writes is published without a lock, and another's lock stays", ({ file }) => {
  lock(file, 0);
  publishAlone(file, "new");
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(readdirSync(dirname(file)).sort()).toEqual(["alice.json", "alice.json.lock"]);
});
