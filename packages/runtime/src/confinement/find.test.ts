import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { findConfinement } from "./find.ts";

/** Looks where this is the only program, and says what came of it and what was left behind. */
async function foundWith(program: string, script: string | undefined, platform: NodeJS.Platform = "linux") {
  const bin = scratch();
  const temporary = join(scratch(), "temporary");
  if (script !== undefined) {
    writeFileSync(join(bin, program), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, program), 0o755);
  }
  const found = await findConfinement({ environment: { PATH: bin }, temporary, platform });
  const left = existsSync(temporary) ? readdirSync(temporary) : [];
  return { name: found.confinement?.name, why: "why" in found ? found.why : undefined, left };
}

/** Leaves out the options, and runs what comes behind them without any confinement. */
const pretended =
  '[ "$1" = --version ] && exec echo bubblewrap 9.9; while [ "$1" != -- ]; do shift; done; shift; exec "$@"';

test("where its program is missing, it is said what to install, and a place that depends on the working directory does not count", async () => {
  expect(await foundWith("bwrap", undefined)).toMatchObject({
    name: undefined,
    why: "bwrap is in no directory of PATH: install the package bubblewrap",
  });
  const bin = scratch();
  writeFileSync(join(bin, "bwrap"), `#!/bin/sh\n${pretended}\n`);
  chmodSync(join(bin, "bwrap"), 0o755);
  const environment = { PATH: relative(process.cwd(), bin) };
  const { why } = (await findConfinement({ environment, temporary: bin, platform: "linux" })) as { why?: string };
  expect(why).toContain("in no directory of PATH");
  expect((await foundWith("sandbox-exec", undefined, "darwin")).why).toContain("it is part of macOS");
  expect((await foundWith("bwrap", "exit 0", "win32")).why).toBe("there is no confinement for win32");
});

test("where the system refuses it, what it said is told, and nothing is left of the trial", async () => {
  const { name, why, left } = await foundWith(
    "bwrap",
    'echo "bwrap: No permissions to create new namespace" >&2; exit 1',
  );
  expect([name, left]).toEqual([undefined, []]);
  expect(why).toMatch(/bwrap does not work here: bwrap: No permissions to create new namespace$/);
});

test("a program that lets others write is not taken for a confinement", async () => {
  const { name, why, left } = await foundWith("bwrap", pretended);
  expect([name, left]).toEqual([undefined, []]);
  expect(why).toMatch(/bwrap does not work here: it does not keep a program from writing$/);
});

test("one that cannot mount a /proc of its own does without", async () => {
  const withoutProc = `case "$*" in *--proc*) echo "bwrap: Can't mount proc" >&2; exit 1;; esac`;
  // Without a program to confine with, this can still be refused: the trial asks for one file that
  // can be written and one that cannot.
  const refusing = `${withoutProc}; [ "$1" = --version ] && exec echo bubblewrap 9.9; while [ "$1" != -- ]; do shift; done; : > "$5/written"`;
  expect(await foundWith("bwrap", refusing)).toEqual({ name: "bubblewrap 9.9", why: undefined, left: [] });
});

test("a folder for the trial that cannot be made is a reason as well", async () => {
  const folder = scratch();
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/bwrap"), "#!/bin/sh\nexit 0\n");
  chmodSync(join(folder, "bin/bwrap"), 0o755);
  writeFileSync(join(folder, "file"), "");
  const found = await findConfinement({
    environment: { PATH: join(folder, "bin") },
    temporary: join(folder, "file/temporary"),
    platform: "linux",
  });
  expect(found).toEqual({ why: expect.stringContaining("ENOTDIR") });
});
