import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";

/** Each file is older than the one before it. */
const bench = (names: readonly string[], content = "") => {
  const made = workbench();
  const put = (name: string, text = content) => {
    mkdirSync(dirname(join(made.cwd, name)), { recursive: true });
    writeFileSync(join(made.cwd, name), text);
  };
  for (const [at, name] of names.entries()) {
    put(name);
    utimesSync(join(made.cwd, name), 2_000_000_000 - at, 2_000_000_000 - at);
  }
  const glob = async (pattern: string, path?: string) => {
    const { text } = await made.call("Glob", { pattern, ...(path === undefined ? {} : { path }) });
    return text.split("\n").map((line) => (line.startsWith("/") ? relative(made.cwd, line) : line));
  };
  return { ...made, put, glob };
};

test("files are found with the newest first, and a hundred of them are shown", async () => {
  const { glob } = bench(["src/b.ts", "a.ts", "src/deep/c.ts", "a.js", ".hidden/d.ts"]);
  expect(await glob("**/*.ts")).toEqual(["src/b.ts", "a.ts", "src/deep/c.ts", ".hidden/d.ts"]);
  expect(await glob("*.{js,ts}")).toEqual(["a.ts", "a.js"]);
  expect(await glob("*.py")).toEqual([expect.stringContaining("No file")]);
  const many = bench(Array.from({ length: 130 }, (_, at) => `f${at}.txt`));
  const shown = await many.glob("*.txt");
  expect(shown).toHaveLength(101);
  expect(shown.slice(-2)).toEqual(["f99.txt", expect.stringContaining("100 of 130")]);
});

test("a pattern reaches no further than where its signs begin", async () => {
  const { glob, toolCalled, cwd } = bench(["src/a/x.ts", "src/b/y.ts"]);
  const reach = (pattern: string, path?: string) => toolCalled("Glob").reaches?.({ pattern, path }, cwd);
  expect(reach("src/a/*.ts")).toEqual([{ kind: "read", path: join(cwd, "src/a") }]);
  expect(reach("*.ts", "src")).toEqual([{ kind: "read", path: join(cwd, "src") }]);
  expect(reach("../x/**/*.ts")).toEqual([{ kind: "read", path: join(cwd, "../x") }]);
  expect(reach("/etc/*")).toEqual([{ kind: "read", path: "/etc" }]);
  expect(reach("/*")).toEqual([{ kind: "read", path: "/" }]);
  expect(await glob("src/a/*.ts")).toEqual(["src/a/x.ts"]);
  expect(await glob("a/x.ts", "src")).toEqual(["src/a/x.ts"]);
  expect(await glob("src/*/../../../*")).toEqual([expect.stringContaining("No file")]);
});

test("links are named and not followed, so that no way leads out or round", async () => {
  const { glob, cwd } = bench(["src/a.ts"]);
  symlinkSync("..", join(cwd, "src/up"));
  symlinkSync("/etc", join(cwd, "etc"));
  expect((await glob("**/*")).sort()).toEqual(["etc", "src/a.ts", "src/up"]);
});

test("what git ignores is left out, unless the search begins inside it", async () => {
  const { glob, put } = bench([
    "dist/a.js",
    "src/dist/b.js",
    "src/c.js",
    "log/d.js",
    "node_modules/e/f.js",
    ".git/g.js",
  ]);
  put(".gitignore", "dist/\n/log\nnode_modules\n");
  put("src/.gitignore", "!dist/\n*.js\n!c.js\n");
  expect(await glob("**/*.js")).toEqual(["src/c.js"]);
  expect(await glob("**/*.js", "src")).toEqual(["src/c.js"]);
  expect(await glob("node_modules/**/*.js")).toEqual(["node_modules/e/f.js"]);
});

test("what is ignored is what git says is ignored", async () => {
  const name = fc.constantFrom("a", "b", "ab", "a.x");
  const rule = fc
    .tuple(
      fc.constantFrom("", "", "!"),
      fc.constantFrom("", "/", "**/", "a/"),
      fc.constantFrom("a", "b", "*", "a*", "?b", "*.x", "a/**", "a/**/b"),
      fc.constantFrom("", "/"),
    )
    .map((parts) => parts.join(""));
  const rules = fc.array(rule, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n"));
  const paths = fc.uniqueArray(fc.array(name, { minLength: 1, maxLength: 3 }), {
    maxLength: 6,
    selector: (path) => path.join("/"),
  });
  await fc.assert(
    fc.asyncProperty(rules, rules, paths, async (top, below, tree) => {
      const { glob, put, cwd } = bench([]);
      execFileSync("git", ["init", "-q", cwd]);
      for (const path of tree) put(join("root", ...path, "file"));
      put("root/.gitignore", top);
      if (tree.length > 0) put("root/a/.gitignore", below);
      const args = ["-C", cwd, "ls-files", "--others", "--exclude-standard", "--", "root"];
      const expected = execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);
      expect((await glob("**/*", "root")).filter((line) => !line.startsWith("No file")).sort()).toEqual(
        expected.sort(),
      );
    }),
    { numRuns: 20 },
  );
});

test("what must not be seen is not named", async () => {
  const made = workbench({
    permissions: {
      judge: ({ input }) => ({ behavior: JSON.stringify(input).endsWith('.env"}') ? "deny" : "allow", reason: "" }),
    },
  });
  writeFileSync(join(made.cwd, "b.env"), "SECRET=1\n");
  writeFileSync(join(made.cwd, "c.txt"), "SECRET=2\n");
  expect((await made.call("Glob", { pattern: "*" })).text).toBe(join(made.cwd, "c.txt"));
  expect((await made.call("Grep", { pattern: "SECRET" })).text).toBe("c.txt");
});

test("a search ends when it is interrupted", async () => {
  const { call } = bench(["a.ts"]);
  expect((await call("Glob", { pattern: "*" }, AbortSignal.abort())).text).toContain("was stopped");
});
