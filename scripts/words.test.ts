import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, test } from "vitest";

const skipped = new Set(["node_modules", "dist", ".git", ".tools", ".turbo", ".reports", "corpus", "foreign"]);
const below = (dir: string): readonly string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    return entry.isDirectory() ? below(join(dir, entry.name)) : [join(dir, entry.name)];
  });

const sources = below(".")
  .map((path) => path.split(sep).join("/"))
  .filter((path) => /\.(tsx?|mjs|js)$/.test(path));

/** Lines that are nothing but a comment; a directive or a tag of a type cannot be wrapped. */
const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line) && !/biome-ignore|@\w+ \{/.test(line);
const commentsOf = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, index) => (isComment(line) ? [{ at: `${path}:${index + 1}`, line }] : []));
const comments = sources.flatMap(commentsOf);

test("comments are at most 100 columns wide", () => {
  expect(comments.length).toBeGreaterThan(1000);
  expect(
    comments.filter(({ line }) => line.length > 100).map(({ at }) => at),
    "wrap these comments",
  ).toEqual([]);
});

test("comments name their subject instead of saying whoever", () => {
  expect(
    comments.filter(({ line }) => /\bwho(m)?ever\b/i.test(line)).map(({ at }) => at),
    "name who acts",
  ).toEqual([]);
});
