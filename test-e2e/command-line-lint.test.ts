import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";

const { home, troupe, told, json, refusal } = openTroupe();
const put = (file: string, text: string) => {
  mkdirSync(join(home, file, ".."), { recursive: true });
  writeFileSync(join(home, file), text);
  return join(home, file);
};
const definition = (fields: string, body = "You check.\n") => `---\nname: helper\n${fields}\n---\n${body}`;

beforeEach(() => {
  put("p/agents/sound.md", definition("description: Checks."));
  put("p/agents/dropped.md", definition("description: Use this\nand that"));
  put("p/agents/old.md", definition("description: Use: this\ntools: Read, MultiEdit, LS\nmodel: claude-opus-4-6"));
  put("p/agents/README.md", "# Agents\n");
  put("p/commands/review.md", "---\ndescription: Reviews.\n---\nReview.\n");
  put("p/skills/style/SKILL.md", "---\nname: style\ndescription: Style.\n---\nWrite.\n");
});

test("an error is what Claude Code ignores, the rest is less; by 2026-02 the authors' severities hold", () => {
  const now = json("agents-lint", ["agents", "lint", "p/agents"], { status: 1 });
  expect(now).toMatchObject({ revision: "2026-11", files: 3, errors: 1, warnings: 3, notes: 1, fixable: 3, fixed: [] });
  expect(now.findings.filter(({ severity }: { severity: string }) => severity === "error")).toMatchObject(
    [{ file: "p/agents/dropped.md", rule: "V-AG-02", line: 3, message: /; Claude Code ignores this file$/ }].map(
      (one) => ({ ...one, message: expect.stringMatching(one.message) }),
    ),
  );
  const then = json("agents-lint", ["agents", "lint", "p/agents", "--revision", "2026-02"], { status: 1 });
  expect(then).toMatchObject({ revision: "2026-02", errors: 5 });
});

test("a README, a command and a skill are skipped and listed, and checked with a note where they are named", () => {
  const { passedOver, files } = json("agents-lint", ["agents", "lint", "p"], { status: 1 });
  expect([files, passedOver]).toEqual([
    3,
    [
      { file: "p/agents/README.md", role: "documentation" },
      { file: "p/commands/review.md", role: "a command" },
      { file: "p/skills/style/SKILL.md", role: "a skill" },
    ],
  ]);
  expect(troupe(["agents", "lint", "p"]).stdout).toContain("skipped as a skill: p/skills/style/SKILL.md\n");
  const named = json("agents-lint", ["agents", "lint", "p/skills/style/SKILL.md"]);
  expect(named.findings[0]).toMatchObject({ severity: "note", message: expect.stringContaining("looks like a skill") });
});

test("people read it by file, then by rule, then in one line, and are told what to do", () => {
  const { status, stdout } = troupe(["agents", "lint", "p/agents"], { env: { COLUMNS: "80" } });
  expect(status).toBe(1);
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stdout).toMatch(/^p\/agents\/old\.md\n[\s\S]*\n\np\/agents\/dropped\.md\n {2}3:1 error V-AG-02: /);
  expect(stdout).toMatch(/\n {2}V-AG-02 {2}1 error {2}1 warning .*the front matter is valid YAML\n/);
  expect(stdout.split("\n").slice(-4)).toEqual([
    "3 files, 1 error, 3 warnings, 1 note, 1 skipped",
    "Claude Code does not see 1 file: fix the errors.",
    "--fix fixes 3 of these and says what it changed.",
    "",
  ]);
});

test("thirty findings of one rule in one file are not thirty for people, and all are there for programs", () => {
  put("q/agents/a.md", definition(`description: Checks.\ntools: Read, ${"xyz, ".repeat(30)}Bash`));
  expect(told("agents", "lint", "q")).toContain("    and 27 more of V-AG-05\n");
  expect(json("agents-lint", ["agents", "lint", "q"]).findings).toHaveLength(30);
});

test("--max-warnings ends with 1 where there are more, and says so; what is no number is refused", () => {
  expect(told("agents", "lint", "p/agents/old.md", "--max-warnings", "3")).toContain("3 warnings");
  const { status, stderr } = troupe(["agents", "lint", "p/agents/old.md", "--max-warnings", "2"]);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "troupe: 3 warnings, more than --max-warnings 2 allows\n",
  });
  expect(refusal(2, ["agents", "lint", "--max-warnings", "few"])).toContain("needs a whole number from 0");
});

test("--fix fixes what it can, says what it changed, keeps the mode, the link and the body, and leaves the rest", () => {
  const body = "You check.  \r\n\r\n\ttabs and --- dashes\n";
  const real = put("elsewhere/old.md", definition("description: Use: this\ntools: Read, MultiEdit, LS", body));
  chmodSync(real, 0o664);
  const link = join(home, "p/agents/linked.md");
  symlinkSync(real, link);
  const { fixed, findings } = json("agents-lint", ["agents", "lint", link, "--fix"]);
  expect(fixed).toEqual([
    { file: "p/agents/linked.md", rule: "V-AG-02", line: 3, message: expect.stringContaining("description") },
    { file: "p/agents/linked.md", rule: "V-AG-05", line: 4, message: "tools: MultiEdit becomes Edit" },
  ]);
  expect(findings.map(({ message }: { message: string }) => message)).toEqual(['tools names "LS", which is no tool']);
  expect(readFileSync(real, "utf8")).toBe(definition('description: "Use: this"\ntools: Read, Edit, LS', body));
  expect(statSync(real).mode & 0o777).toBe(0o664);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

test("--fix repairs a definition that Claude Code ignores, and writes nothing if there is nothing to fix", () => {
  expect(told("agents", "lint", "p/agents/dropped.md", "--fix")).toMatch(/^p\/agents\/dropped\.md\n {2}3 fixed /);
  expect(told("agents", "lint", "p/agents/dropped.md")).toBe("1 file, 0 errors, 0 warnings, 0 notes\n");
  const sound = join(home, "p/agents/sound.md");
  const before = statSync(sound);
  told("agents", "lint", "p/agents/sound.md", "--fix");
  expect(statSync(sound)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test("--fix leaves a file whose bytes it could not write back", () => {
  const file = put("p/agents/latin.md", "");
  const bytes = Buffer.from(definition("description: Pr\xfcft: alles"), "latin1");
  writeFileSync(file, bytes);
  expect(json("agents-lint", ["agents", "lint", file, "--fix"]).fixed).toEqual([]);
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test("annotations of GitHub have their place, and nothing in them ends a command", () => {
  put("p/agents/100%, b:c.md", definition("description: Checks.\ncolor: '50% :: off, now'"));
  const { stdout } = troupe(["agents", "lint", "p/agents/100%, b:c.md", "p/agents/dropped.md", "--format", "github"]);
  const [warning, error, total] = stdout.split("\n");
  expect(warning).toMatch(
    /^::warning file=p\/agents\/100%25%2C b%3Ac\.md,line=4,col=1,title=V-AG-16::color is "50%25 :: off, now", .*%0Afix: /,
  );
  expect(error).toMatch(
    /^::error file=p\/agents\/dropped\.md,line=3,col=1,title=V-AG-02::.*Claude Code ignores this file%0A/,
  );
  expect(total).toBe("2 files, 1 error, 1 warning, 0 notes");
});

test("SARIF has the sixteen rules, and each finding under its rule at its place", () => {
  put("p/agents/a b.md", definition("description: Checks.\ncolor: teal"));
  const { status, stdout } = troupe(["agents", "lint", "p/agents/a b.md", "p/agents/dropped.md", "--format", "sarif"]);
  expect(status).toBe(1);
  const log = JSON.parse(stdout);
  expect(log.version).toBe("2.1.0");
  const [{ tool, results }] = log.runs;
  expect(tool.driver.rules).toHaveLength(16);
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
  expect(results).toMatchObject([
    {
      ruleId: "V-AG-16",
      level: "warning",
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "p/agents/a%20b.md", uriBaseId: "%SRCROOT%" },
            region: { startLine: 4, startColumn: 1 },
          },
        },
      ],
    },
    { ruleId: "V-AG-02", level: "error" },
  ]);
});

test("where there is nothing to judge, it is said", () => {
  mkdirSync(join(home, "empty"), { recursive: true });
  expect(troupe(["agents", "lint", "empty"])).toMatchObject({
    status: 0,
    stderr: "note: there is no definition to check: name files, or a directory with .md files\n",
  });
});

test("a file in a directory that cannot be read is an error of its own and hides no other", () => {
  put("r/agents/a.md", definition("description: Checks.\ncolor: teal"));
  symlinkSync("nowhere", join(home, "r/agents/gone.md"));
  const { findings } = json("agents-lint", ["agents", "lint", "r"], { status: 1 });
  expect(findings.map(({ rule, severity }: Record<string, string>) => `${rule} ${severity}`)).toEqual([
    "V-AG-16 warning",
    "V-AG-01 error",
  ]);
});
