import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, test } from "vitest";

/** Rooms whose comments are not yet reworded. This list only shrinks. */
const notYet = [
  "packages/runtime/test/",
  "packages/runtime/src/session",
  "packages/runtime/src/agent/",
  "packages/runtime/src/agents/route",
  "packages/runtime/src/agents/start",
  "packages/runtime/src/hooks/task-hooks",
  "packages/runtime/src/tools/ask-user-question",
  "packages/runtime/src/tools/exit-plan-mode",
  "packages/runtime/src/tools/plan-",
  "packages/runtime/src/tools/send-message",
  "packages/runtime/src/tools/task-",
  "packages/runtime/src/tools/team-",
];

const skipped = new Set(["node_modules", "dist", ".git", ".tools", ".turbo", ".reports", "corpus", "foreign"]);
const below = (dir: string): readonly string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    return entry.isDirectory() ? below(join(dir, entry.name)) : [join(dir, entry.name)];
  });

const isDone = (path: string) => !notYet.some((room) => path.startsWith(room));
const sources = below(".")
  .map((path) => path.split(sep).join("/"))
  .filter((path) => /\.(ts|mjs|js)$/.test(path) && isDone(path));

/** Lines that are nothing but a comment; a directive or a tag of a type cannot be wrapped. */
const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line) && !/biome-ignore|@\w+ \{/.test(line);
const commentsOf = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, index) => (isComment(line) ? [{ at: `${path}:${index + 1}`, line }] : []));
const comments = sources.flatMap(commentsOf);

test("comments of finished rooms are at most 100 columns wide", () => {
  expect(comments.length).toBeGreaterThan(1000);
  expect(
    comments.filter(({ line }) => line.length > 100).map(({ at }) => at),
    "wrap these comments",
  ).toEqual([]);
});

test("comments of finished rooms name their subject instead of saying whoever", () => {
  expect(
    comments.filter(({ line }) => /\bwho(m)?ever\b/i.test(line)).map(({ at }) => at),
    "name who acts",
  ).toEqual([]);
});

test("every room that is not finished exists", () => {
  const rooms = new Set(
    below(".").flatMap((path) => notYet.filter((room) => path.split(sep).join("/").startsWith(room))),
  );
  expect([...rooms].sort()).toEqual([...notYet].sort());
});
