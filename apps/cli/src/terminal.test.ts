import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { ask, screenOf } from "./terminal.ts";

const terminal = (columns?: number) => Object.assign(new PassThrough(), { isTTY: true, ...(columns && { columns }) });

test.each([
  [{}, true],
  [{ NO_COLOR: "1" }, false],
  [{ NO_COLOR: "" }, true],
  [{ TERM: "dumb" }, false],
  [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true],
  [{ NO_COLOR: "1", FORCE_COLOR: "" }, true],
  [{ FORCE_COLOR: "0" }, false],
  [{ FORCE_COLOR: "false" }, false],
])("whether a terminal has colours with %j: %s", (env, hasColor) => {
  expect(screenOf(terminal(80), env).hasColor).toBe(hasColor);
});

test("a pipe has no colours and no end of a line, unless somebody says so", () => {
  const pipe = new PassThrough();
  expect(screenOf(pipe, {})).toEqual({ columns: Infinity, hasColor: false });
  expect(screenOf(pipe, { COLUMNS: "40", FORCE_COLOR: "1" })).toEqual({ columns: 40, hasColor: true });
  for (const COLUMNS of ["", "0", "-1", "many", "1.5"]) expect(screenOf(pipe, { COLUMNS }).columns).toBe(Infinity);
  expect(screenOf(terminal(60), { COLUMNS: "40" }).columns).toBe(60);
});

test.each([
  ["y\n", true],
  ["YES\n", true],
  ["\n", false],
  ["no\n", false],
  ["yesterday\n", false],
  ["", false],
])("a person who answers %j said yes: %s", async (answer, isYes) => {
  const [input, output] = [terminal(), terminal()];
  input.end(answer);
  expect(await ask("Delete \x1b[2J it?", input, output)).toBe(isYes);
  expect(String(output.read())).toBe("Delete \uFFFD[2J it? [y/N] ");
});

test("nobody is asked who is not there", async () => {
  expect(await ask("?", new PassThrough(), terminal())).toBeUndefined();
  expect(await ask("?", terminal(), new PassThrough())).toBeUndefined();
});
