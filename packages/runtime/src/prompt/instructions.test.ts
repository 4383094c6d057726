import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type InstructionSources, instructionLimits, readInstructions } from "./instructions.ts";

let base: string;
let sources: InstructionSources;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "troupe-instructions-")));
  const home = join(base, "home");
  const top = join(base, "work", "project");
  sources = {
    managed: join(base, "etc", "CLAUDE.md"),
    root: join(home, ".claude"),
    home,
    top,
    cwd: join(top, "a", "b"),
  };
  mkdirSync(sources.cwd, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(files: Record<string, string | Uint8Array>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
}

/** The parts that are read, with paths as they were written above, and the problems likewise. */
function read(other: Partial<InstructionSources> = {}) {
  const { instructions, problems } = readInstructions({ ...sources, ...other });
  return {
    files: instructions.map(({ path, scope }) => `${scope} ${relative(base, path)}`),
    texts: instructions.map(({ text }) => text),
    problems: problems.map(({ path, message }) => ({ path: relative(base, path), message })),
  };
}

test("instructions go from the administrator's to those of the directory the agent works in", () => {
  const files = {
    "etc/CLAUDE.md": "1",
    "home/.claude/CLAUDE.md": "2",
    "work/project/CLAUDE.md": "3",
    "work/project/.claude/CLAUDE.md": "4",
    "work/project/CLAUDE.local.md": "5",
    "work/project/a/CLAUDE.md": "6",
    "work/project/a/b/.claude/CLAUDE.md": "7",
    "work/project/a/b/CLAUDE.local.md": "8",
  };
  write({ ...files, "work/CLAUDE.md": "above the project", "work/project/a/b/c/CLAUDE.md": "below" });
  const { files: found, texts, problems } = read();
  expect(found.map((file) => file.split(" ")[1])).toEqual(Object.keys(files));
  const scopes = ["managed", "user", "project", "project", "local", "project", "project", "local"];
  expect(found.map((file) => file.split(" ")[0])).toEqual(scopes);
  expect(texts.join("")).toBe("12345678");
  expect(problems).toEqual([]);
});

test("where there are no files there are neither instructions nor problems", () => {
  write({ "work/project/CLAUDE.md": " \n" });
  expect(read({ root: join(base, "nowhere") })).toEqual({ files: [], texts: [], problems: [] });
});

test("outside the project only the agent's own directory is looked into", () => {
  write({ "work/project/CLAUDE.md": "no", "other/CLAUDE.md": "no", "other/deep/CLAUDE.md": "yes" });
  expect(read({ cwd: join(base, "other", "deep") })).toMatchObject({ texts: ["yes"], problems: [] });
});

test("an imported file follows the one that imports it, and is found from where that one lies", () => {
  write({
    "work/project/CLAUDE.md": "See @docs/one.md and @./two.md, not `@docs/three.md`.",
    "work/project/docs/one.md": "one @deep/four.md",
    "work/project/docs/deep/four.md": "four @../../two.md",
    "work/project/docs/three.md": "three",
    "work/project/two.md": "two",
    "work/project/CLAUDE.local.md": "@docs/one.md",
  });
  const names = ["CLAUDE.md", "docs/one.md", "docs/deep/four.md", "two.md"];
  expect(read()).toMatchObject({
    files: [...names.map((name) => `project work/project/${name}`), "local work/project/CLAUDE.local.md"],
    problems: [],
  });
});

test("five files deep is followed and a sixth is told", () => {
  const chain = [1, 2, 3, 4, 5, 6].map((at) => [`work/project/${at}.md`, `@${at + 1}.md`]);
  write({ "work/project/CLAUDE.md": "@1.md", ...Object.fromEntries(chain) });
  const { files, problems } = read();
  expect(files.at(-1)).toBe("project work/project/5.md");
  expect(problems).toEqual([{ path: "work/project/6.md", message: expect.stringContaining("5 files deep") }]);
});

test("what a file of the user or the administrator imports may lie anywhere", () => {
  write({
    "etc/CLAUDE.md": "@../home/notes.md",
    "home/.claude/CLAUDE.md": "@~/more.md",
    "home/notes.md": "n",
    "home/more.md": "m",
  });
  const expected = [
    "managed etc/CLAUDE.md",
    "managed home/notes.md",
    "user home/.claude/CLAUDE.md",
    "user home/more.md",
  ];
  expect(read()).toMatchObject({ files: expected, problems: [] });
});

test.each(["@~/secret", "@../../../home/secret", "@link", "@folder/secret"])(
  "a project that imports %s from outside gets it once that is approved, and a problem before",
  (written) => {
    write({ "home/secret": "secret", "work/project/CLAUDE.local.md": written, "work/project/a/CLAUDE.md": written });
    for (const directory of ["work/project", "work/project/a"]) {
      symlinkSync(join(base, "home", "secret"), join(base, directory, "link"));
      symlinkSync(join(base, "home"), join(base, directory, "folder"));
    }
    const { texts, problems } = read();
    expect(texts.join()).not.toContain("secret\n");
    expect(texts).toHaveLength(2);
    expect(problems.length).toBeGreaterThan(0);
    for (const { message } of problems) expect(message).toContain("outside the project");
    expect(read({ mayLeaveProject: true })).toMatchObject({ texts: expect.arrayContaining(["secret"]), problems: [] });
  },
);

test("a CLAUDE.md that is a link is read within the project and not beyond it", () => {
  write({ "home/secret": "secret", "work/project/AGENTS.md": "inside" });
  symlinkSync("AGENTS.md", join(base, "work/project/CLAUDE.md"));
  symlinkSync(join(base, "home", "secret"), join(base, "work/project/a/CLAUDE.md"));
  const { texts, problems } = read();
  expect(texts).toEqual(["inside"]);
  expect(problems.map(({ path }) => path)).toEqual(["work/project/a/CLAUDE.md"]);
});

test("the project may itself be reached through a link", () => {
  write({ "work/project/CLAUDE.md": "@x.md", "work/project/x.md": "x" });
  symlinkSync(join(base, "work"), join(base, "linked"));
  const linked = join(base, "linked", "project");
  for (const top of [linked, sources.top]) {
    expect(read({ top, cwd: join(linked, "a") })).toMatchObject({ texts: ["@x.md", "x"], problems: [] });
  }
});

test("files that import each other are read once each", () => {
  write({ "work/project/CLAUDE.md": "@b.md @CLAUDE.md", "work/project/b.md": "@CLAUDE.md @./b.md" });
  expect(read()).toMatchObject({ texts: ["@b.md @CLAUDE.md", "@CLAUDE.md @./b.md"], problems: [] });
});

test("words behind an @ that are no files are no problem", () => {
  const long = "x".repeat(5_000);
  write({ "work/project/CLAUDE.md": `@someone @org/package @CLAUDE.md/x @${long} @~nobody/x @..` });
  expect(read().problems).toEqual([]);
});

test("what is there and cannot be read is told with its reason, and the rest is read", () => {
  const names = ["loop", "pipe", "folder", "binary", "latin"];
  write({
    "work/project/CLAUDE.md": `${names.map((name) => `@${name}`).join(" ")} @good`,
    "work/project/good": "good",
    "work/project/folder/x": "x",
    "work/project/binary": "a\0b",
    "work/project/latin": Uint8Array.of(0x66, 0xfc, 0x72),
  });
  symlinkSync("loop", join(base, "work/project/loop"));
  execFileSync("mkfifo", [join(base, "work/project/pipe")]);
  const { texts, problems } = read();
  expect(texts.at(-1)).toBe("good");
  expect(problems.map(({ path }) => path)).toEqual(names.map((name) => `work/project/${name}`));
  const reasons = ["ELOOP", "not a regular file", "not a regular file", "not UTF-8 text", "not UTF-8 text"];
  problems.forEach(({ message }, at) => {
    expect(message).toContain(reasons[at]);
    expect(message).toContain("CLAUDE.md");
  });
});

test("a file that is too long is left out, and so is what no longer fits", () => {
  const { fileBytes, totalBytes } = instructionLimits;
  const full = "x".repeat(fileBytes);
  const names = Array.from({ length: totalBytes / fileBytes }, (_, at) => `${at}.md`);
  write({
    "home/.claude/CLAUDE.md": `@long.md ${names.map((name) => `@${name}`).join(" ")} @small.md`,
    "home/.claude/long.md": `${full}y`,
    "home/.claude/small.md": "small",
    ...Object.fromEntries(names.map((name) => [`home/.claude/${name}`, full])),
  });
  const { texts, problems } = read();
  expect(texts.slice(1)).toEqual([...names.slice(1).map(() => full), "small"]);
  expect(problems.map(({ path }) => path)).toEqual(["home/.claude/long.md", `home/.claude/${names.at(-1)}`]);
  expect(problems[0]?.message).toContain(`${fileBytes + 1} bytes`);
  expect(problems[1]?.message).toContain("all instructions together");
});

test("a file that imports without end is followed for a while, and that is told", () => {
  const paths = Array.from({ length: instructionLimits.maxImports + 1 }, (_, at) => `@${at}`);
  write({ "work/project/CLAUDE.md": paths.join(" "), "work/project/999": "last", "work/project/1000": "too many" });
  const { texts, problems } = read();
  expect(texts.slice(1)).toEqual(["last"]);
  expect(problems).toEqual([{ path: "work/project/CLAUDE.md", message: expect.stringContaining("1000 imports") }]);
});
