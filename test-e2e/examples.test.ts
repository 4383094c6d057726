import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const examples = join(import.meta.dirname, "../examples");

/** The output of each program, without a key. */
const prints: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  "a-permission.mjs": [
    /^Bash wants to run: touch one\.txt \(.+\)$/,
    "  allowed, and whatever is like it",
    /^Bash wants to run: rm -rf \. \(.+\)$/,
    /^ {2}refused: .*keep your hands off that/,
    "one.txt and two.txt are there: true",
  ],
  "fork-fan-out.mjs": [
    /^5 forks paid like 5\d{3} tokens without a cache$/,
    /^5 agents that begin anew paid like 9\d{4}: 1\d\.\d times as much$/,
    /^the limit for forks, were all read from the cache: 4\d{3}$/,
  ],
  "lead-and-two.mjs": [
    /^(ann|bob): ready$/,
    /^(ann|bob): ready$/,
    /^(ann|bob): ended$/,
    /^(ann|bob): ended$/,
    "All is done.",
  ],
  "one-agent.mjs": ["(it calls its tool)", "It is 26 degrees in Taipei."],
  "store-beside-a-foreign-writer.mjs": ["team-lead: 50 messages, in order", "bob: 50 messages, in order", "left: 0"],
  // The two work at once, so what each says first may come in either order.
  "two-members.mjs": [
    /^(ann: I told the lead\.|team-lead: I asked ann\.)$/,
    /^(ann: I told the lead\.|team-lead: I asked ann\.)$/,
    "team-lead: It is 26 degrees, says ann.",
  ],
};

/** It goes on until Ctrl-C: own-team.test.ts has a team work with it. */
const server = "stand-in.mjs";

test("every example is run, and none is longer than 60 lines", () => {
  const programs = readdirSync(examples).filter((name) => name.endsWith(".mjs"));
  expect(programs).toEqual([...Object.keys(prints), server].sort());
  for (const name of programs)
    expect(readFileSync(join(examples, name), "utf8").trimEnd().split("\n").length, name).toBeLessThanOrEqual(60);
});

test.each(Object.entries(prints))("the example %s does what it says", (name, lines) => {
  const temporary = mkdtempSync(join(tmpdir(), "troupe-example-"));
  onTestFinished(() => rmSync(temporary, { recursive: true }));
  const { ANTHROPIC_API_KEY: _, ...environment } = process.env;
  const options = { cwd: temporary, encoding: "utf8", env: { ...environment, TMPDIR: temporary } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(examples, name)], options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const printed = stdout.trimEnd().split("\n");
  expect(printed).toEqual(lines.map((line) => (typeof line === "string" ? line : expect.stringMatching(line))));
});
