import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { Tool } from "../loop/tool.ts";
import { createPermissions } from "./permissions.ts";
import type { Behavior } from "./rule.ts";
import type { WorkingMode } from "./ruling.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "one-command-")));
const [project, programs, log] = ["project", "programs", "log"].map((name) => join(top, name)) as [
  string,
  string,
  string,
];
mkdirSync(project);
mkdirSync(programs);
for (const name of ["git", "rm", "evil"]) {
  writeFileSync(join(programs, name), `#!/bin/sh\necho "${name} $1" >> "${log}"\n`);
  chmodSync(join(programs, name), 0o755);
}
afterAll(() => rmSync(top, { recursive: true }));

const bash: Tool = {
  definition: { name: "Bash", description: "", input_schema: {} },
  isReplayable: false,
  isConcurrent: () => false,
  reaches: (input) => [{ kind: "command", command: String(input) }],
  run: async () => ({ content: [] }),
};

const verdict = (rules: readonly (readonly [Behavior, string])[], command: string, mode: WorkingMode = "default") =>
  createPermissions({
    cwd: project,
    home: top,
    mode,
    directories: [],
    rules: rules.map(([behavior, text]) => ({ behavior, text, source: "user", base: top })),
    isBypassAvailable: true,
    ask: async () => ({ behavior: "deny", message: "no" }),
    timeoutMs: 1_000,
    newId: () => "q",
  }).judge({ tool: bash, input: command }).behavior;

const words = [
  "--short",
  "a",
  "'a b'",
  '"x y"',
  "$x",
  "# c",
  "rm x",
  "evil",
  "git status",
  "2>&1",
  ">/dev/null",
  "{a,b}",
  "*",
  "~",
  "!",
  "E",
  "LANG=C",
  "x=1",
];
const signs = [
  " ",
  "  ",
  "\t",
  "\n",
  "\\\n",
  ";",
  "&&",
  "||",
  "|",
  "&",
  "(",
  ")",
  "{",
  "}",
  "'",
  '"',
  "\\",
  "`",
  "$(",
  "${",
  "$'",
  "<<E\n",
  "<<'E'\n",
  "<<<",
  ">",
  "<(",
  "$((",
  "[[",
  "#",
  "\r",
  "\u00a0",
];
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constant(" ") },
  { weight: 4, arbitrary: fc.constantFrom(...words) },
  { weight: 2, arbitrary: fc.constantFrom(...signs) },
);
const command = fc.array(piece, { maxLength: 9 }).map((pieces) => `git status ${pieces.join("")}`);

test("whatever follows git status, a command that its rule lets pass runs git status in a real shell and nothing else", () => {
  let ran = 0;
  fc.assert(
    fc.property(command, (text) => {
      if (verdict([["allow", "Bash(git status:*)"]], text) !== "allow" || ran >= 80) return;
      ran += 1;
      writeFileSync(log, "");
      spawnSync("/bin/bash", ["-c", text], { cwd: project, env: { PATH: programs }, stdio: "ignore", timeout: 10_000 });
      expect(readFileSync(log, "utf8").replaceAll("git status\n", "")).toBe("");
      expect(readdirSync(project)).toEqual([]);
    }),
    { numRuns: 700 },
  );
  expect(ran).toBeGreaterThan(40);
});

test("one more rule to deny or to ask never allows what was not allowed", () => {
  const behavior = fc.constantFrom<Behavior>("deny", "ask");
  const rule = fc.constantFrom(
    "Bash(rm:*)",
    "Bash(git status)",
    "Bash(*x*)",
    "Read(a)",
    "Edit(**)",
    "Bash",
    "Bash(",
    "*",
    "mcp__x",
    "Bash(git *)",
  );
  const mode = fc.constantFrom<WorkingMode>("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto");
  fc.assert(
    fc.property(command, behavior, rule, mode, fc.boolean(), (text, more, content, under, isAllowed) => {
      const rules: [Behavior, string][] = isAllowed ? [["allow", "Bash(git:*)"]] : [];
      const before = verdict(rules, text, under);
      const after = verdict([...rules, [more, content]], text, under);
      expect(after === "allow" && before !== "allow").toBe(false);
      expect(before === "deny" && after !== "deny").toBe(false);
    }),
    { numRuns: 400 },
  );
});

test("a command that uses more files than are looked at is asked about, and judged without an error", () => {
  const many = join(project, "many");
  mkdirSync(many);
  for (let at = 0; at < 300; at += 1) writeFileSync(join(many, `${at}.ts`), "");
  expect(verdict([], "cat many/*.ts")).toBe("allow");
  expect(verdict([], "cat many/*.ts ".repeat(1_000))).toBe("ask");
  expect(
    verdict(
      [
        ["allow", "Bash"],
        ["deny", "Read(x)"],
      ],
      "cat many/*.ts ".repeat(1_000),
    ),
  ).toBe("ask");
  rmSync(many, { recursive: true });
});
