import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const packages = readdirSync("packages").map((name) => join("packages", name));
const pages = [
  ".",
  "docs",
  "docs/decisions",
  "docs/conformance",
  "schemas",
  "examples",
  "apps/cli",
  ...packages,
].flatMap((dir) =>
  readdirSync(dir)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(dir, name)),
);

test.each(pages)("every link of %s to a file of ours leads to one", (page) => {
  const prose = readFileSync(page, "utf8").replaceAll(/^```.*?^```/gms, "");
  const links = [...prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = ""]) => target);
  expect(links.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
});

test("every decision is in the index of the documentation", () => {
  const index = readFileSync("docs/README.md", "utf8");
  expect(readdirSync("docs/decisions").filter((name) => !index.includes(`(decisions/${name})`))).toEqual([]);
});
