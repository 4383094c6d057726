import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { definitionFiles, definitionText } from "./definition-files.ts";

const place = () => {
  const top = scratch();
  const agents = join(top, "agents");
  mkdirSync(join(agents, "deep/deeper"), { recursive: true });
  for (const file of ["b.md", "a.md", "notes.txt", "deep/deeper/c.md"]) writeFileSync(join(agents, file), file);
  const found = () => {
    const { files, unreadable } = definitionFiles(agents);
    return {
      files: files.map((file) => file.slice(agents.length + 1)),
      unreadable: unreadable.map(({ file, fault }) => [file.slice(agents.length + 1), fault]),
    };
  };
  return { top, agents, found };
};
const all = ["a.md", "b.md", "deep/deeper/c.md"];

test("the Markdown files of a directory and those in it are found in order, and nothing where there is none", () => {
  const { top, found } = place();
  expect(found()).toEqual({ files: all, unreadable: [] });
  expect(definitionFiles(join(top, "none"))).toEqual({ files: [], unreadable: [] });
});

test("links to files and directories are followed, and one that leads back up ends", () => {
  const { top, agents, found } = place();
  mkdirSync(join(top, "shared"));
  writeFileSync(join(top, "shared/d.md"), "d");
  symlinkSync(join(top, "shared"), join(agents, "linked"));
  symlinkSync(join(top, "shared/d.md"), join(agents, "e.md"));
  symlinkSync("..", join(agents, "deep/up"));
  expect(found()).toEqual({ files: ["a.md", "b.md", "deep/deeper/c.md", "e.md", "linked/d.md"], unreadable: [] });
});

test("what cannot be read is told with its reason, and hides no other", () => {
  const { agents, found } = place();
  symlinkSync("nowhere", join(agents, "gone.md"));
  symlinkSync("loop.md", join(agents, "loop.md"));
  symlinkSync("/dev/zero", join(agents, "zero.md"));
  execFileSync("mkfifo", [join(agents, "pipe.md")]);
  mkdirSync(join(agents, "folder.md"));
  expect(found()).toEqual({
    files: all,
    unreadable: [
      ["gone.md", "it is a broken link"],
      ["loop.md", "it is a link to itself"],
      ["pipe.md", "it is not a file"],
      ["zero.md", "it is not a file"],
    ],
  });
});

test("a file where the directory should be is told", () => {
  const { agents } = place();
  const file = join(agents, "a.md");
  expect(definitionFiles(file)).toEqual({ files: [], unreadable: [{ file, fault: "it is not a directory" }] });
});

test("a link to a very large directory is not read to its end, and costs none of the files beside it", () => {
  const { top, agents, found } = place();
  mkdirSync(join(top, "large"));
  for (let at = 0; at < 5_100; at += 1) writeFileSync(join(top, "large", `${at}.txt`), "");
  symlinkSync(join(top, "large"), join(agents, "aaa"));
  expect(found()).toEqual({
    files: ["a.md", "b.md"],
    unreadable: [["", "there are more than 5000 entries below it"]],
  });
});

test("the text of a definition is read unless it is too large or gone", () => {
  const { agents } = place();
  const file = join(agents, "a.md");
  expect(definitionText(file)).toEqual({ text: "a.md" });
  truncateSync(file, 2 * 1024 * 1024);
  expect(definitionText(file)).toEqual({ file, fault: "it has more than 1048576 bytes" });
  expect(definitionText(join(agents, "none.md"))).toHaveProperty("fault");
  execFileSync("mkfifo", [join(agents, "pipe.md")]);
  symlinkSync("/dev/zero", join(agents, "zero.md"));
  for (const name of ["pipe.md", "zero.md", "deep"])
    expect(definitionText(join(agents, name))).toEqual({ file: join(agents, name), fault: "it is not a file" });
});
