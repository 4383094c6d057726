import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWith } from "../require.ts";
import { describeConfined, project, scratch, shellIn } from "./confined.ts";

const tables = join(import.meta.dirname, "../../packages/runtime/src/permissions/hostile");

/** The rows that are about what a shell does, of which none passes by itself. */
function hostile(places: Readonly<Record<string, string>>): readonly string[] {
  const names = readdirSync(tables).filter((name) =>
    /^(reading|becomes-\w+|place|programs|git|moving)\.txt$/.test(name),
  );
  const lines = names.flatMap((name) => readFileSync(join(tables, name), "utf8").split("\n"));
  return lines.flatMap((line) => {
    const [, text] = /^(?:ask|deny)!? (.*) ← /.exec(line) ?? [];
    return text === undefined ? [] : [written(text, places)];
  });
}

const written = (text: string, places: Readonly<Record<string, string>>): string =>
  text
    .replace(/<U\+([0-9A-F]{4})>/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/@[POH]/g, (name) => places[name] ?? name)
    .replaceAll("⏎", "\n")
    .replaceAll("⇥", "\t");

/** All that can be changed below a directory: names, kinds, modes, contents. */
function stateOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode } = lstatSync(path);
      const content = entry.isFile() ? readFileSync(path) : entry.isSymbolicLink() ? readlinkSync(path) : "";
      return `${path} ${mode} ${createHash("sha256").update(content).digest("hex")}`;
    })
    .sort();
}

describeWith("bwrap", "what the tables of hostile commands hold", () =>
  describeConfined("and a reader that lets all of it pass by mistake", (confinement) => {
    test("changes nothing, and with edits accepted nothing outside the project or in its .git", {
      timeout: 600_000,
    }, async () => {
      const cwd = project();
      const outside = join(scratch(), "outside");
      mkdirSync(outside);
      writeFileSync(join(outside, "secret.txt"), "secret\n");
      symlinkSync(outside, join(cwd, "link"));
      for (const name of ["evil", "evil.sh"]) writeFileSync(join(cwd, name), "touch ran\n", { mode: 0o755 });
      const { run, home } = shellIn(cwd, confinement);
      const commands = scratch();
      const rows = hostile({ "@P": cwd, "@O": outside, "@H": home });
      for (const [nth, row] of rows.entries()) writeFileSync(join(commands, `${nth}`), row);
      const one = join(scratch(), "one.sh");
      writeFileSync(one, 'exec bash -c "$(cat "$1")" < /dev/null > /dev/null 2>&1\n');
      const all = `ls ${commands}/* | xargs -P 4 -n 1 timeout -k 1 2 sh ${one}; echo finished`;
      const [before, git, ...others] = [cwd, join(cwd, ".git"), outside, commands].map(stateOf);
      const reading = await run(all, { writable: [] }, { timeout: 300_000 });
      expect(reading.text).toContain("finished");
      expect([cwd, outside, commands].map(stateOf)).toEqual([before, ...others]);
      expect(rows.length).toBeGreaterThan(150);
      // That the same commands change a project that they may edit shows that they would.
      await run(all, { writable: [cwd] }, { timeout: 300_000 });
      expect(stateOf(cwd)).not.toEqual(before);
      expect([join(cwd, ".git"), outside, commands].map(stateOf)).toEqual([git, ...others]);
    });
  }),
);
