import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const pages = [".", "docs", "docs/decisions", "packages/protocol"].flatMap((dir) =>
  readdirSync(dir)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(dir, name)),
);

test.each(pages)("every link of %s to a file of ours leads to one", (page) => {
  const links = [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
    ([, target = ""]) => target,
  );
  expect(links.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
});

test("every decision is in the index of the documentation", () => {
  const index = readFileSync("docs/README.md", "utf8");
  expect(readdirSync("docs/decisions").filter((name) => !index.includes(`(decisions/${name})`))).toEqual([]);
});
