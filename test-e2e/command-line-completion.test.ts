import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";
import { describeWith } from "./require.ts";

const { home, root, told, json, refusal } = openTroupe();
for (const name of ["parser-team", "docs", "$(touch pwned)"]) {
  mkdirSync(join(root, "teams", name), { recursive: true });
  writeFileSync(join(root, "teams", name, "config.json"), "{}");
}
const environment = { ...process.env, HOME: home, CLAUDE_CONFIG_DIR: root };

/** Command lines, and what is offered behind each. */
const lines: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["troupe t", ["task", "team", "teammate", "trust"]],
  ["troupe task c", ["claim", "complete", "create"]],
  ["troupe help task c", ["claim", "complete", "create"]],
  ["troupe task show ", ["docs", "parser-team"]],
  ["troupe --root x task show p", ["parser-team"]],
  ["troupe send --as docs pa", ["parser-team"]],
  ["troupe team create x --revision ", ["2026-02", "2026-11"]],
  ["troupe task claim docs --a", ["--as"]],
  ["troupe team delete docs --f", ["--force"]],
  ["troupe completion ", ["bash", "fish", "zsh"]],
];

test("a shell that is not known is refused with those that are", () => {
  expect(json("completion", ["completion", "bash"]).script).toBe(told("completion", "bash"));
  expect(refusal(2, ["completion", "bsh"])).toContain("did you mean bash?");
  expect(refusal(2, ["completion", "tcsh"])).toBe("there is no completion for tcsh: use bash, zsh or fish");
});

/** The words of each line that a script prints, in order. */
function wordsFrom(shell: string, ...args: string[]): string[][] {
  const { stdout, stderr } = spawnSync(shell, args, { encoding: "utf8", env: environment, cwd: home });
  expect(stderr).toBe("");
  const printed = stdout.trimEnd().split("\n");
  return printed.map((line) => line.split(" ").sort());
}

describeWith("bash", "in bash", () => {
  test("commands, options, their values and teams are offered, and no name that the shell would run", () => {
    const tries = lines.map(([line]) => {
      const words = line.split(" ").map((word) => `'${word}'`);
      return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _troupe; echo "\${COMPREPLY[@]}"`;
    });
    const offered = wordsFrom("bash", "--norc", "-c", [told("completion", "bash"), ...tries].join("\n"));
    expect(offered).toEqual(lines.map(([, words]) => words));
    expect(existsSync(join(home, "pwned"))).toBe(false);
  });
});

describeWith("fish", "in fish", () => {
  test("commands, options, their values and teams are offered", () => {
    const tries = lines.map(([line]) => `echo (complete -C '${line}' | string replace -r '\\t.*' '')`);
    const offered = wordsFrom("fish", "--no-config", "-c", [told("completion", "fish"), ...tries].join("\n"));
    // fish quotes a name that it would run.
    const isOurs = (word: string) => !/^\$|\)$/.test(word);
    expect(offered.map((words) => words.filter(isOurs))).toEqual(lines.map(([, words]) => words));
  });
});

describeWith("zsh", "in zsh", () => {
  test("the script can be read", () => {
    const file = join(home, "_troupe");
    writeFileSync(file, told("completion", "zsh"));
    expect(wordsFrom("zsh", "-n", file)).toEqual([[""]]);
  });
});
