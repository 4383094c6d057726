import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";

const bench = (files: Readonly<Record<string, string | Buffer>>) => {
  const made = workbench();
  for (const [at, [name, content]] of Object.entries(files).entries()) {
    const path = join(made.cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, 2_000_000_000 - at, 2_000_000_000 - at);
  }
  const grep = async (input: object) => (await made.call("Grep", input)).text;
  return { ...made, grep };
};

test("files are shown with the newest first, lines with their numbers, and how many lines a file has", async () => {
  const { grep } = bench({ "z.ts": "foo\nbar\nfoo foo\n", "a.ts": "Foo\n", "b.ts": "foo\r\n" });
  expect(await grep({ pattern: "foo" })).toBe("z.ts\nb.ts");
  expect(await grep({ pattern: "foo", output_mode: "content" })).toBe("b.ts:1:foo\nz.ts:1:foo\nz.ts:3:foo foo");
  expect(await grep({ pattern: "foo$", output_mode: "content", "-n": false })).toBe("b.ts:foo\nz.ts:foo\nz.ts:foo foo");
  expect(await grep({ pattern: "foo", output_mode: "count" })).toBe("b.ts:1\nz.ts:2");
  expect(await grep({ pattern: "(?i)^foo$" })).toBe("z.ts\na.ts\nb.ts");
  expect(await grep({ pattern: "FOO", "-i": true, path: "a.ts" })).toBe("a.ts");
  expect(await grep({ pattern: "absent" })).toBe("No matches.");
});

test("lines around hits are what grep shows", async () => {
  const text = Array.from({ length: 40 }, (_, at) => (at % 11 === 0 ? `hit ${at}` : `line ${at}`)).join("\n");
  const { grep, cwd } = bench({ "a.txt": text });
  for (const [flags, input] of [
    [["-C2"], { "-C": 2 }],
    [["-A3"], { "-A": 3 }],
    [["-B1", "-A6"], { "-B": 1, "-A": 6 }],
  ] as const) {
    const expected = execFileSync("grep", ["-rn", ...flags, "hit", "a.txt"], { cwd, encoding: "utf8" });
    const shown = await grep({ pattern: "hit", output_mode: "content", ...input });
    expect(shown.split("\n")).toEqual(
      expected
        .trimEnd()
        .split("\n")
        .map((line) => (line === "--" ? line : `a.txt${line[line.search(/[:-]/)]}${line}`)),
    );
  }
});

test("a hit over several lines shows each of them", async () => {
  const { grep } = bench({ "a.ts": "x\nstart {\n  y\n}\nz\nstart {}\n" });
  const shown = await grep({ pattern: "start \\{.*?\\}", multiline: true, output_mode: "content" });
  expect(shown).toBe("a.ts:2:start {\na.ts:3:  y\na.ts:4:}\na.ts:6:start {}");
  expect(await grep({ pattern: "start \\{.*?y", output_mode: "content" })).toBe("No matches.");
});

test("a search can be narrowed by name, by kind and by how much is shown", async () => {
  const { grep, call } = bench({ "a.ts": "x\n", "src/b.ts": "x\n", "src/c.py": "x\n", "d.md": "x\nx\nx\n" });
  expect(await grep({ pattern: "x", glob: "*.ts" })).toBe("a.ts\nsrc/b.ts");
  expect(await grep({ pattern: "x", glob: "src/**/*.{ts,py}" })).toBe("src/b.ts\nsrc/c.py");
  expect(await grep({ pattern: "x", type: "py" })).toBe("src/c.py");
  expect(await call("Grep", { pattern: "x", type: "toString" })).toMatchObject({ isError: true });
  const shown = await grep({ pattern: "x", path: "d.md", output_mode: "content", head_limit: 1, offset: 1 });
  expect(shown).toBe("d.md:2:x\n… [there is more; continue with offset 2]");
});

test("binary files, links and ignored files are left out, and what is too large is counted", async () => {
  const { grep, cwd } = bench({
    "a.bin": Buffer.from("find me\0"),
    "b.txt": "find me\n",
    "c.txt": "find me\n".repeat(700_000),
    "d.log": "find me\n",
    ".gitignore": "*.log\n",
  });
  symlinkSync("b.txt", join(cwd, "link.txt"));
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  expect(await grep({ pattern: "find me" })).toBe("b.txt\n… [1 files above 5 MB were skipped; search them with Bash]");
});

test("an expression that takes for ever ends the search and not the process", async () => {
  const { grep } = bench({ "a.txt": `${"a".repeat(50)}!\n` });
  expect(await grep({ pattern: "^(a+)+$" })).toContain("took too long on");
});

test("what is no expression is refused with the reason", async () => {
  const { call } = bench({});
  expect(await call("Grep", { pattern: "(" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("JavaScript"),
  });
  expect(await call("Grep", { pattern: "x", path: "absent" })).toMatchObject({ isError: true });
});

test("a result is bounded, in its lines and in all", async () => {
  const { grep } = bench({
    "long.js": `${"x".repeat(9_000)}needle${"y".repeat(9_000)}\n`,
    "many.txt": "hit\n".repeat(50_000),
  });
  const line = await grep({ pattern: "needle", output_mode: "content" });
  expect(line).toContain("xneedley");
  expect(line.length).toBeLessThan(700);
  const all = await grep({ pattern: "hit", output_mode: "content", head_limit: 0 });
  expect(all.length).toBeLessThan(31_000);
  expect(all).toContain("narrow the search");
});
