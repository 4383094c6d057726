import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assertMatches, assertThat } from "../assert.ts";
import { leadCheck } from "../lead-stage.ts";
import type { Puppet } from "../puppets.ts";

const prompt = "agent:sub. Count the rules.";
const isolated = { isolation: "worktree", run_in_background: true };
const isRepository = true;

const treesIn = (cwd: string): readonly string[] => {
  const place = join(cwd, ".claude/worktrees");
  return existsSync(place) ? readdirSync(place) : [];
};

const linesIn = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];

/** A program of this name that is found before the others; the path by which it is. */
function inFront(scratch: string, name: string, script: string): Readonly<Record<string, string>> {
  const place = join(scratch, "bin");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(place, name), 0o755);
  return { PATH: `${place}:${toldBy('printf %s "$PATH"')}` };
}

const toldBy = (line: string) => execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" }).trim();
const realGit = () => toldBy("command -v git");

const hooks = (event: string, command: string) => ({ [event]: [{ hooks: [{ type: "command", command }] }] });

async function ends(sub: Puppet): Promise<void> {
  await sub.asked();
  await sub.says("Nothing to do.");
}

/** Where isolated agents and sessions work. */
export const worktreeChecks = [
  leadCheck({
    id: "TREE-SLUG/a",
    level: "L5",
    title: "a slash in the name of a worktree is a + in its directory",
    requirements: ["ATP-WT-002"],
    with: { isRepository, flags: ["--worktree", "feature/one"] },
    async run({ lead, cwd }) {
      await lead.asked();
      assertMatches("the worktrees", treesIn(cwd), ["feature+one"]);
    },
  }),
  ...[
    ["b", "../outside"],
    ["c", "/tmp/outside"],
    ["d", "x".repeat(65)],
    ["e", "a b"],
  ].map(([letter = "", name = ""]) =>
    leadCheck({
      id: `TREE-SLUG/${letter}`,
      level: "L5",
      title: `no worktree is made under the name ${name.length > 20 ? "of 65 characters" : name}`,
      requirements: ["ATP-WT-002"],
      with: { isRepository, flags: ["--worktree", "sound"] },
      async run({ lead, start, puppet, until, cwd }) {
        await lead.asked();
        const other = start("lead", { prompt: "agent:other. Go on.", backend: "auto", flags: ["--worktree", name] });
        await until("the refusal", () => other.ended() !== undefined || puppet("other").isAsked());
        assertMatches("the worktrees", treesIn(cwd), ["sound"]);
        assertThat(!existsSync(join(cwd, ".claude/outside")), "it was made outside");
        assertMatches("the requests of the session", puppet("other").requests.length, 0);
      },
    }),
  ),
  leadCheck({
    id: "TREE-HOOK/a",
    level: "L5",
    title: "a worktree that a hook made stays",
    requirements: ["ATP-WT-004"],
    with: {
      isRepository,
      rootFiles: {
        "settings.json": JSON.stringify({ hooks: hooks("WorktreeCreate", "mkdir -p own && echo $PWD/own") }),
      },
    },
    async run({ lead, dialect, puppet, hears, cwd, until, session }) {
      await lead.does((await dialect()).delegate({ prompt, more: isolated }));
      await ends(puppet("sub"));
      await hears("Nothing to do.");
      // A place is tidied up when its end was dealt with, or when the session ends.
      await until("the end of the session", () => {
        if (lead.isAsked()) lead.says("That is all.").catch(() => {});
        return session.ended() !== undefined;
      });
      assertThat(existsSync(join(cwd, "own")), "it is gone");
      assertMatches("other worktrees", treesIn(cwd), []);
    },
  }),
  leadCheck({
    id: "TREE-SLOW/a",
    level: "L5",
    title: "an agent is told to have ended before its place is tidied up",
    requirements: ["ATP-SUB-007"],
    with: {
      isRepository,
      rootFiles: {
        "settings.json": JSON.stringify({
          hooks: {
            ...hooks("WorktreeCreate", "mkdir -p own && echo $PWD/own"),
            ...hooks("WorktreeRemove", "sleep 3; rmdir own; touch tidied"),
          },
        }),
      },
    },
    async run({ lead, dialect, puppet, hears, cwd, until }) {
      await lead.does((await dialect()).delegate({ prompt, more: isolated }));
      await ends(puppet("sub"));
      await hears("Nothing to do.");
      assertThat(!existsSync(join(cwd, "tidied")), "it was told only when all was tidied up");
      await until("the end of the place", () => {
        if (lead.isAsked()) lead.says("I wait.").catch(() => {});
        return existsSync(join(cwd, "tidied"));
      });
    },
  }),
  leadCheck({
    id: "TREE-LINKS/a",
    level: "L5",
    title: "a worktree has the node_modules of the project by a link",
    requirements: ["ATP-WT-005"],
    with: {
      isRepository,
      projectFiles: { ".gitignore": "node_modules\n", "node_modules/one/index.js": "export {};\n" },
    },
    async run({ lead, dialect, puppet, cwd }) {
      await lead.does((await dialect()).delegate({ prompt, more: isolated }));
      await puppet("sub").asked();
      const path = join(cwd, ".claude/worktrees", treesIn(cwd)[0] ?? "", "node_modules");
      assertThat(existsSync(join(path, "one/index.js")), "it has none");
      assertThat(lstatSync(path).isSymbolicLink(), "it is no link");
    },
  }),
  leadCheck({
    id: "TREE-AGAIN/a",
    level: "L5",
    title: "a worktree that is there is used again as it is, and nothing is fetched for it",
    requirements: ["ATP-WT-006"],
    with: {
      isRepository,
      flags: ["--worktree", "again"],
      prepare({ cwd, scratch }) {
        const git = (...args: readonly string[]) => execFileSync("git", args, { cwd, stdio: "pipe" });
        git("worktree", "add", "-q", "-b", "worktree-again", ".claude/worktrees/again");
        writeFileSync(join(cwd, ".claude/worktrees/again/mine.txt"), "mine\n");
        git("remote", "add", "origin", join(scratch, "nowhere"));
        const log = join(scratch, "git.log");
        return inFront(scratch, "git", `echo "$*" >> ${log}; exec ${realGit()} "$@"`);
      },
    },
    async run({ lead, cwd }, { scratch }) {
      const told = JSON.stringify(await lead.asked());
      assertThat(told.includes(".claude/worktrees/again"), "the session does not work there");
      assertMatches("what was in it", linesIn(join(cwd, ".claude/worktrees/again/mine.txt")), ["mine"]);
      const fetched = linesIn(join(scratch, "git.log")).filter((line) => /\b(fetch|pull|clone)\b/.test(line));
      assertMatches("what was fetched", fetched, []);
    },
  }),
  leadCheck({
    id: "TREE-QUIET/a",
    level: "L5",
    title: "git is never in a position to ask for a password",
    requirements: ["ATP-WT-007"],
    with: {
      isRepository,
      prepare({ scratch }) {
        const log = join(scratch, "git.log");
        const seen = `"$(readlink /proc/$$/fd/0)|$GIT_TERMINAL_PROMPT|\${GIT_ASKPASS-unset}|$*"`;
        return inFront(scratch, "git", `echo ${seen} >> ${log}; exec ${realGit()} "$@"`);
      },
    },
    async run({ lead, dialect, puppet }, { scratch }) {
      await lead.does((await dialect()).delegate({ prompt, more: isolated }));
      await puppet("sub").asked();
      const lines = linesIn(join(scratch, "git.log"));
      const making = lines.filter((line) => line.includes("worktree"));
      assertThat(making.length > 0, "no worktree was made by git", lines);
      for (const line of making)
        assertMatches("its input, and the two variables", line, { $match: "^/dev/null\\|0\\|\\|" });
    },
  }),
  leadCheck({
    id: "TREE-CWD/a",
    level: "L5",
    title: "a directory and a worktree are not asked for at the same time",
    requirements: ["ATP-WT-008"],
    revisions: ["2026-02"],
    with: { isRepository },
    async run({ lead, dialect, puppet, cwd }) {
      const [result] = await lead.does((await dialect()).delegate({ prompt, more: { ...isolated, cwd } }));
      assertThat(result?.isError === true, "the call went through", result);
      assertMatches("the requests of the agent", puppet("sub").requests.length, 0);
    },
  }),
  leadCheck({
    id: "TREE-OVER/a",
    level: "L5",
    title: "the isolation of a call comes before that of the definition",
    requirements: ["ATP-SUB-011"],
    with: {
      isRepository,
      rootFiles: { "agents/plain.md": "---\nname: plain\ndescription: counts\n---\n\nYou count.\n" },
    },
    async run({ lead, dialect, puppet, cwd }) {
      await lead.does((await dialect()).delegate({ prompt, type: "plain", more: isolated }));
      await puppet("sub").asked();
      assertMatches("how many worktrees there are", treesIn(cwd).length, 1);
    },
  }),
];
