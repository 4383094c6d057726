import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assetJson } from "./assets.ts";
import { allChecks } from "./checks/index.ts";

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
}

const guide = readFileSync(join(import.meta.dirname, "../../../docs/conformance/implementers-guide.md"), "utf8");
const { $defs } = assetJson("schemas/adapter-protocol.json") as {
  $defs: { methods: Readonly<Record<string, { result: Shape }>> };
};

/** The cells of the rows of the table with this head. */
function rowsBelow(head: string): readonly (readonly string[])[] {
  const [, after = ""] = guide.split(`${head}\n|---`);
  const rows = after.split("\n").slice(1);
  const end = rows.findIndex((row) => !row.startsWith("|"));
  return rows.slice(0, end).map((row) =>
    row
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}

const quoted = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

/** As the guide writes them: a question mark behind what may be left out. */
const keysOf = ({ properties = {}, required = [] }: Shape): readonly string[] =>
  Object.keys(properties).map((key) => `\`${key}\`${required.includes(key) ? "" : "?"}`);

test("the guide tells the keys of every method's result, and which may be left out", () => {
  const rows = rowsBelow("| method | keys of the result |");
  const told = new Map(
    rows.flatMap(([methods = "", keys = ""]) => quoted(methods).map((name) => [name, keys] as const)),
  );
  expect([...told.keys()].sort()).toEqual(Object.keys($defs.methods).sort());
  for (const [name, { result }] of Object.entries($defs.methods)) {
    const outer = (told.get(name) ?? "").replace(/ \([^)]*\)/g, "");
    expect([name, outer === "none" ? [] : outer.split(", ").sort()]).toEqual([name, [...keysOf(result)].sort()]);
    if (told.get(name)?.includes("(as of `validate`)")) continue;
    for (const part of Object.values(result.properties ?? {}).flatMap(({ items }) => (items ? keysOf(items) : []))) {
      expect(told.get(name), name).toContain(part);
    }
  }
});

test("the guide sorts the checks of the lower levels by method, every one of them", () => {
  const rows = rowsBelow("| method | checks | what it usually is |");
  const prefixes = rows.flatMap(([, checks = ""]) => quoted(checks));
  const lower = allChecks().filter(({ level }) => level <= "L2");
  const missing = lower.filter(({ id }) => !prefixes.some((prefix) => id.startsWith(prefix))).map(({ id }) => id);
  expect(missing, "name them in docs/conformance/implementers-guide.md").toEqual([]);
  expect(prefixes.filter((prefix) => !lower.some(({ id }) => id.startsWith(prefix)))).toEqual([]);
});
