import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { seatbelt } from "./seatbelt.ts";

const startIn = (cwd: string) => ({ program: "/bin/sh", args: ["-c", "true"], cwd, environment: { A: "1" } });

test("on macOS the profile denies writing and the network, and no path is a part of its text", () => {
  const cwd = realpathSync(scratch());
  const { program, args, environment } = seatbelt("/usr/bin/sandbox-exec").confined(startIn(cwd), {
    writable: [],
    temporary: cwd,
  });
  const [define, parameter, flag, profile = "", ...rest] = args;
  expect([program, define, parameter, flag, ...rest]).toEqual([
    "/usr/bin/sandbox-exec",
    ...["-D", `P0=${cwd}`, "-p", "/bin/sh", "-c", "true"],
  ]);
  expect(environment).toEqual({ A: "1", TMPDIR: cwd });
  expect(profile).toContain("(deny file-write*)");
  expect(profile).toContain("(deny network*)");
  expect(profile).not.toContain(cwd);
});

test("on macOS a directory that may be edited comes before what is kept in it, and before another one inside that", () => {
  const cwd = realpathSync(scratch());
  const worktree = join(cwd, ".claude/worktrees/one");
  mkdirSync(worktree, { recursive: true });
  mkdirSync(join(cwd, "src/.vscode"), { recursive: true });
  writeFileSync(join(cwd, ".npmrc"), "");
  const { args } = seatbelt("sandbox-exec").confined(startIn(cwd), { writable: [worktree, cwd], temporary: undefined });
  const path = (name: string) => args.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const lines = (args[args.indexOf("-p") + 1] ?? "").split("\n").filter((line) => /"P\d+"/.test(line));
  expect(lines.map((line) => [line.slice(1, line.indexOf(" ")), path(/P\d+/.exec(line)?.[0] ?? "")])).toEqual([
    ["allow", cwd],
    ["deny", join(cwd, ".claude")],
    ["allow", worktree],
    ["deny", join(cwd, ".npmrc")],
    ["deny", join(cwd, "src/.vscode")],
  ]);
});
