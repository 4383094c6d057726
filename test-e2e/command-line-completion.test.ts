import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { main, openTroupe } from "./command-line.ts";
import { describeWith } from "./require.ts";

const { home, root, told, json, refusal } = openTroupe();
for (const name of ["parser-team", "docs", "$(touch pwned)"]) {
  mkdirSync(join(root, "teams", name), { recursive: true });
  writeFileSync(join(root, "teams", name, "config.json"), "{}");
}
for (const [team, members] of [
  ["parser-team", ["ann", "bob", "$(touch pwned)"]],
  ["docs", ["carol"]],
] as const)
  writeFileSync(
    join(root, "teams", team, "config.json"),
    JSON.stringify({
      name: team,
      createdAt: 1,
      members: members.map((name) => ({ name, agentId: `${name}@${team}` })),
    }),
  );
mkdirSync(join(root, "tasks/docs"), { recursive: true });
for (const id of ["1", "2"])
  writeFileSync(
    join(root, "tasks/docs", `${id}.json`),
    JSON.stringify({
      id,
      subject: "Read it\n`touch pwned`",
      description: "",
      status: "pending",
      blocks: [],
      blockedBy: [],
    }),
  );
mkdirSync(join(root, "agents"), { recursive: true });
writeFileSync(join(root, "agents/reader.md"), "---\nname: reader\ndescription: Reads: all of it\n---\nYou read.\n");
const other = join(home, "other");
mkdirSync(join(other, "teams/other-team"), { recursive: true });
writeFileSync(
  join(other, "teams/other-team/config.json"),
  JSON.stringify({ name: "other-team", createdAt: 1, members: [{ name: "dora", agentId: "dora@other-team" }] }),
);
const programs = join(home, "programs");
mkdirSync(programs);
writeFileSync(join(programs, "troupe"), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
chmodSync(join(programs, "troupe"), 0o755);
const environment = {
  ...process.env,
  HOME: home,
  CLAUDE_CONFIG_DIR: root,
  PATH: `${programs}:${process.env["PATH"]}`,
  TROUPE_TEAM: "docs",
};

/** Command lines, and what is offered behind each. */
const lines: readonly (readonly [line: string, offered: readonly string[]])[] = (
  [
    ["troupe t", ["task", "team", "teammate", "trust"]],
    ["troupe task c", ["claim", "complete", "create"]],
    ["troupe help task c", ["claim", "complete", "create"]],
    ["troupe task delete ", ["docs", "parser-team"]],
    ["troupe task show ", ["1", "2", "docs", "parser-team"]],
    ["troupe task show docs ", ["1", "2"]],
    ["troupe --root ROOT task show p", ["parser-team"]],
    ["troupe --root other task show o", ["other-team"]],
    ["troupe send --root=other other-team ", ["dora"]],
    ["troupe --root other send other-team d", ["dora"]],
    ["troupe send --as carol pa", ["parser-team"]],
    ["troupe send parser-team a", ["ann"]],
    ["troupe send parser-team ann hi --as b", ["bob"]],
    ["troupe send c", ["carol"]],
    ["troupe team join docs x --type ", ["reader"]],
    ["troupe team create x --revision ", ["2026-02", "2026-11"]],
    ["troupe task claim docs --a", ["--as"]],
    ["troupe team delete docs --f", ["--force"]],
    ["troupe completion ", ["bash", "fish", "zsh"]],
  ] as const
).map(([line, offered]) => [line.replace("ROOT", root), offered]);

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

/** A person at a shell in tmux, where Tab lists what can stand next and changes nothing. */
async function listedAt(shell: string, setUp: readonly string[]): Promise<string[][]> {
  const file = join(home, `completion.${shell}`);
  writeFileSync(file, ["PS1='$ '", ...setUp, told("completion", shell)].join("\n"));
  const tmux = (...args: readonly string[]) =>
    execFileSync("tmux", ["-u", "-f", "/dev/null", "-S", join(home, `${shell}.socket`), ...args], {
      encoding: "utf8",
      env: { ...environment, TERM: "tmux-256color", LANG: "C.UTF-8" },
    });
  const start = shell === "zsh" ? "zsh -f -i" : "bash --norc -i";
  tmux("new-session", "-d", "-s", "s", "-x", "200", "-y", "50", "-c", home, start);
  onTestFinished(() => void tmux("kill-server"));
  const shown = () => tmux("capture-pane", "-p", "-t", "s").trimEnd().split("\n");
  tmux("send-keys", "-t", "s", `. '${file}'; clear`, "Enter");
  await untilSeen("its set-up", () => shown().join() === "$");
  const listed: string[][] = [];
  for (const [line, offered] of lines) {
    tmux("send-keys", "-t", "s", "-l", line);
    tmux("send-keys", "-t", "s", "Tab");
    const words = () => shown().flatMap((row) => (row.startsWith("$ ") ? [] : row.split(/\s+/).filter(Boolean)));
    await untilSeen(`${offered} behind ${line}`, () => offered.every((word) => words().includes(word)));
    listed.push(
      words()
        .filter((word) => !/^\\?\$|\)$/.test(word))
        .sort(),
    );
    tmux("send-keys", "-t", "s", "C-u");
    tmux("send-keys", "-t", "s", "-l", "clear");
    tmux("send-keys", "-t", "s", "Enter");
    await untilSeen("an empty screen", () => shown().join() === "$");
  }
  return listed;
}

/** How Tab comes to list what can stand next. */
const setUps = {
  bash: ["bind 'set page-completions off' 2>/dev/null", "bind '\"\\C-i\": possible-completions'"],
  zsh: ["autoload -Uz compinit && compinit -u -D", "bindkey '^I' list-choices", "zstyle ':completion:*' verbose no"],
};

describeWith("tmux", "behind a prompt, where the shell itself takes the line apart", () => {
  for (const [shell, setUp] of Object.entries(setUps))
    describeWith(shell, `of ${shell}`, () => {
      test("commands, options, their values, members and ids are offered, and no name is run", async () => {
        expect(await listedAt(shell, setUp)).toEqual(lines.map(([, words]) => words));
        expect(existsSync(join(home, "pwned"))).toBe(false);
      });
    });
});
