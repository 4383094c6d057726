import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { grantsFor } from "./kept-places.ts";

const keptIn = (...directories: readonly string[]) =>
  grantsFor(directories).flatMap(({ path, isWritable }) => (isWritable ? [] : [path]));

test("a link among what is kept stands for what it leads to, as long as that could be written", () => {
  const cwd = realpathSync(scratch());
  mkdirSync(join(cwd, "shared"));
  writeFileSync(join(cwd, "shared/settings"), "");
  symlinkSync("shared", join(cwd, ".claude"));
  symlinkSync("/etc", join(cwd, ".vscode"));
  symlinkSync("nowhere/at/all", join(cwd, ".git"));
  expect(keptIn(cwd)).toEqual([join(cwd, "nowhere/at/all"), join(cwd, "shared")]);
});

test("a directory that decides about other programs is not written although it is named, and what packages bring is left alone", () => {
  const cwd = realpathSync(scratch());
  mkdirSync(join(cwd, ".config/app"), { recursive: true });
  mkdirSync(join(cwd, "node_modules/a/.vscode"), { recursive: true });
  expect(grantsFor([cwd, join(cwd, ".config/app"), join(cwd, "gone")])).toEqual([
    { path: cwd, isWritable: true },
    { path: join(cwd, ".config"), isWritable: false },
    { path: join(cwd, "gone"), isWritable: true },
  ]);
});

test("a project without end is looked through to a bound, from its top", () => {
  const cwd = realpathSync(scratch());
  for (let nth = 0; nth < 510; nth += 1) mkdirSync(join(cwd, `d${nth}/.git`), { recursive: true });
  mkdirSync(join(cwd, ".git"));
  expect(keptIn(cwd)).toHaveLength(500);
  expect(keptIn(cwd)).toContain(join(cwd, ".git"));
});
