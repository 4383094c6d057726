import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { hostileGround } from "../../test/hostile-ground.ts";
import { type Row, rowsOf, tableNames } from "../../test/hostile-rows.ts";
import { type Effect, programs, realBash } from "../../test/real-bash.ts";

const ground = hostileGround();
const bash = realBash(ground);
afterAll(() => {
  bash.remove();
  ground.remove();
});

/** Not every machine has them; a row that names one is tried where it is. */
const rare = ["jq", "xxd", "strings", "curl", "file", "python3", "perl", "vim", "less", "more", "strace", "script"];
const needed = [...rare, "column", "iconv", "flock", "taskset", "prlimit", "chrt", "ionice", "setsid", "setpriv"];
const missing = needed.filter((name) => !programs.some((directory) => isProgram(join(directory, name))));
const wants = (name: string, { text }: Row): boolean => new RegExp(`(?<![\\w.-])${name}(?![\\w.-])`).test(text);
const isPossible = (row: Row): boolean => !missing.some((name) => wants(name, row));

const tables = tableNames.filter((table) => table !== "hosts" && table !== "paths");
const rows = tables.flatMap(rowsOf).filter(isPossible);
const tried = (some: readonly Row[], isFine: (effect: Effect, row: Row) => boolean): readonly string[] =>
  some.flatMap((row) => {
    const effect = bash.run(row.place, ground.written(row.text));
    return isFine(effect, row) ? [] : [`${row.under} ${row.text}: ${JSON.stringify(effect)}`];
  });

/**
 * The same for rows that are to do nothing: many at once, and one by one where something was done.
 */
const triedTogether = (some: readonly Row[], isFine: (effect: Effect, row: Row) => boolean): readonly string[] => {
  const places = [...new Set(some.map(({ place }) => place))];
  const batches = places.flatMap((place) => {
    const here = some.filter((row) => row.place === place);
    return Array.from({ length: Math.ceil(here.length / 50) }, (_, at) => here.slice(50 * at, 50 * (at + 1)));
  });
  return batches.flatMap((batch) => {
    const place = batch[0]?.place ?? "";
    const effect = bash.runAll(
      place,
      batch.map(({ text }) => ground.written(text)),
    );
    return effect.isOver && batch.every((row) => isFine(effect, row)) ? [] : tried(batch, isFine);
  });
};

/**
 * Git writes down there what it saw of files, which no reader can tell from what was there before.
 */
const isCache = (name: string): boolean => name.endsWith("/.git/index");

/** Files that the rules of a row keep from being shown. */
const kept = ({ rules, place }: Row): readonly string[] => {
  const denied = rules.filter(({ behavior }) => behavior === "deny").map(({ text }) => text);
  return [
    ...["outside", "name", "home", "key"],
    ...(denied.some((text) => text.includes(".env")) ? ["env"] : []),
    ...(place === "wt" || denied.some((text) => text.includes("private/")) ? ["private"] : []),
  ];
};

const isHarm = (effect: Effect, row: Row): boolean =>
  effect.changed.length > 0 || effect.shown.some((name) => kept(row).includes(name));

describe.skipIf(process.platform !== "linux")("in a real bash", { timeout: 900_000 }, () => {
  test("every command that is marked does the harm that its row tells of", () => {
    expect(
      tried(
        rows.filter(({ isShown }) => isShown),
        isHarm,
      ),
    ).toEqual([]);
  });

  test("a command that passes without a rule changes nothing and shows nothing from outside", () => {
    const passing = rows.filter(
      ({ verdict, mode, rules }) =>
        verdict === "allow" &&
        ["default", "plan", "dontAsk"].includes(mode) &&
        !rules.some(({ behavior }) => behavior === "allow"),
    );
    expect(passing.length).toBeGreaterThan(150);
    const isFine = (effect: Effect, row: Row): boolean =>
      !isHarm({ ...effect, changed: effect.changed.filter((name) => !isCache(name)) }, row);
    expect(triedTogether(passing, isFine)).toEqual([]);
  });

  test("a command that passes where edits are accepted changes files of the project alone", () => {
    const passing = rows.filter(
      ({ verdict, mode, rules }) => verdict === "allow" && mode === "acceptEdits" && !rules[0],
    );
    expect(passing.length).toBeGreaterThan(4);
    const isFine = ({ changed, shown }: Effect): boolean =>
      shown.length === 0 && changed.every((name) => /^project\/(?!\.git)/.test(name));
    expect(tried(passing, isFine)).toEqual([]);
  });
});

describe.skip.each(missing)("not run: %s missing", (name) => {
  test.each(tables.flatMap(rowsOf).filter((row) => wants(name, row)))("$text", () => undefined);
});

if (process.platform !== "linux") {
  describe.skip("not run: Linux missing", () => {
    test("what commands do is shown by programs of Linux", () => undefined);
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
