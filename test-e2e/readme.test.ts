import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const [start = "", sample = ""] = [
  ...readFileSync(join(root, "README.md"), "utf8").matchAll(/```console\n(.*?)```/gs),
].map(([, shown]) => shown ?? "");
const troupe = (...args: string[]) =>
  execFileSync(process.execPath, ["apps/cli/dist/main.js", ...args], { cwd: root, encoding: "utf8" });

test("the README shows what a look at the sample teams prints", () => {
  expect(sample).toBe(troupe("show", "apps/cli/sample"));
});

test("the README shows what `npm start` prints, but for times, names and the order of what happens at once", () => {
  const printed = troupe("demo");
  const directory = /CLAUDE_CONFIG_DIR=(.*)/.exec(printed)?.[1] ?? "";
  rmSync(directory, { recursive: true });
  const kinds = (text: string) =>
    text
      .split("\n")
      .filter((line) => line !== "..." && line !== "")
      .map((line) =>
        line.replace(/^[-\d]+ [:\d]+( [-+][:\d]+)?/, "TIME").replace(/\b(reader|writer|checker)(?=$| to )/, "WHO"),
      )
      .map((line) => line.replace(directory, "..."));
  const all = new Set(kinds(printed));
  expect(kinds(start).filter((line) => !all.has(line))).toEqual([]);
  const end = (text: string) => kinds(text.slice(text.indexOf("WHAT THE DOCTOR SAYS")));
  expect(end(printed)).toEqual(end(start));
});
