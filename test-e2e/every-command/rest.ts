import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place, Trial } from "./trial.ts";

const definition = "---\nname: poet\ndescription: rhymes\nmodel: haiku\n---\nYou rhyme.\n";

export function withDefinitions({ cwd }: Place): void {
  mkdirSync(join(cwd, ".claude/agents"), { recursive: true });
  writeFileSync(join(cwd, ".claude/agents/poet.md"), definition);
}

/** A repository with a worktree that an agent of a dead process has left. */
export function withRepository({ cwd, home }: Place): void {
  const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, env });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "first");
  const path = join(cwd, ".claude/worktrees/agent-left");
  git("worktree", "add", "--quiet", "-b", "worktree-agent-left", path);
  git("-C", path, "update-ref", "refs/worktree/base", "HEAD");
  git("worktree", "lock", "--reason", "an agent of process 1 works here (process started: long ago)", path);
}

/** A lock that nobody holds any more. */
function withFault({ root }: Place): void {
  writeFileSync(join(root, "tasks/parser-team/9.json"), "{");
  mkdirSync(join(root, "teams/parser-team/inboxes/reader.json.lock"));
}

interface Finding {
  readonly isMended: boolean;
}
const agents = ["--agents", '{"bard":{"description":"sings","prompt":"You sing."}}'] as const;
const wrongAgents = (...words: readonly string[]) =>
  [
    [[...words, "--agents", "{x"], 2, "--agents is no JSON"],
    [[...words, "--agents", "none.json"], 2, "--agents none.json cannot be read"],
  ] as const;
const plugin = ({ home }: Place) => {
  mkdirSync(join(home, "verses/agents"), { recursive: true });
  writeFileSync(join(home, "verses/agents/elegist.md"), definition.replace("poet", "elegist"));
};
const prepared = (place: Place) => {
  withDefinitions(place);
  plugin(place);
};

const conformance = (...runs: readonly string[]) => ({ elsewhere: "conformance-commands.test.ts", runs });

export const restTrials: Readonly<Record<string, Trial>> = {
  doctor: {
    prepare: withFault,
    status: 1,
    wrong: [[["--fix"], 2, "use --yes"]],
    options: {
      fix: { given: ["--fix"], shows: ({ document }) => document.findings.some(({ isMended }: Finding) => isMended) },
      prune: { elsewhere: "command-line-doctor.test.ts", runs: ['"--prune"'] },
      yes: { given: ["--yes"], shows: ({ document }) => document.findings.some(({ isMended }: Finding) => isMended) },
    },
    isDear: true,
  },
  "worktree list": { prepare: withRepository, wrong: [], options: {} },
  "worktree sweep": { prepare: withRepository, wrong: [], options: {} },
  "worktree remove": {
    words: ["agent-left", "--yes"],
    prepare: withRepository,
    wrong: [[["none", "--yes"], 2, "troupe worktree list"]],
    options: { yes: { words: ["agent-left"], given: ["--yes"], shows: ({ document }) => document?.salvage } },
  },
  web: {
    until: "#",
    env: { CLAUDECODE: "", TROUPE_TEAMMATE: "" },
    wrong: [[["--person", "Maria"], 2, "needs --write"]],
    options: {
      port: {
        elsewhere: "command-line-web.test.ts",
        runs: ['"--port", String(port)', '"--port", "x"'],
      },
      write: { given: ["--write"], shows: ({ document }) => document.person },
      person: {
        words: ["--write"],
        given: ["--person", "Maria"],
        shows: ({ document }) => document.person === "Maria",
        wrong: [[["--person", "Maria"], 2, "needs --write"]],
      },
      open: { elsewhere: "command-line-web.test.ts", runs: ['"web", "--json", "--open"'] },
    },
  },
  trust: {
    words: ["--yes"],
    wrong: [[["{home}/none", "--yes"], 3, "there is no folder"]],
    options: {
      yes: { words: [], given: ["--yes"], shows: ({ document }) => document?.isTrusted },
      remove: { words: ["--yes"], given: ["--remove"], shows: ({ document }) => document.isTrusted === false },
      check: {
        words: ["--yes"],
        given: ["--check"],
        status: 1,
        shows: ({ document }) => document.isTrusted === false,
        wrong: [[["--check", "--remove"], 2, "--check"]],
      },
    },
  },
  "agents list": {
    prepare: prepared,
    wrong: [],
    options: {
      agents: { given: agents, says: ({ stdout }) => stdout.includes("bard"), wrong: wrongAgents() },
      "plugin-dir": {
        given: ["--plugin-dir", "{home}/verses"],
        says: ({ stdout }) => stdout.includes("verses:elegist"),
        wrong: [[["--plugin-dir", "none"], 2, "--plugin-dir none is no directory"]],
      },
    },
  },
  "agents lint": {
    prepare: (place) => {
      withDefinitions(place);
      writeFileSync(
        join(place.cwd, ".claude/agents/old.md"),
        definition.replace("rhymes", "Use: this\ntools: MultiEdit"),
      );
    },
    words: [".claude/agents/old.md"],
    wrong: [[["none.md"], 3, "none.md"]],
    options: {
      revision: {
        given: ["--revision", "2026-02"],
        status: 1,
        shows: ({ document }) => document.revision === "2026-02",
      },
      fix: { given: ["--fix"], shows: ({ file }) => file(".claude/agents/old.md").includes('"Use: this"') },
      "max-warnings": {
        given: ["--max-warnings", "0"],
        status: 1,
        says: ({ stderr }) => stderr.includes("more than --max-warnings 0"),
        wrong: [[[".claude/agents/old.md", "--max-warnings", "few"], 2, "--max-warnings needs a whole number"]],
      },
      format: { given: ["--format", "sarif"], says: ({ stdout }) => JSON.parse(stdout).version === "2.1.0" },
    },
  },
  "agents inspect": {
    prepare: prepared,
    words: ["poet"],
    wrong: [
      [["nobody"], 3, "nobody"],
      [["none.md"], 3, "none.md"],
    ],
    options: {
      revision: { given: ["--revision", "2026-11"], says: ({ stdout }) => stdout.includes("2026-11") },
      agents: {
        words: ["bard"],
        given: agents,
        says: ({ stdout }) => stdout.includes("You sing."),
        wrong: wrongAgents("bard"),
      },
      "plugin-dir": {
        words: ["verses:elegist"],
        given: ["--plugin-dir", "{home}/verses"],
        says: ({ stdout }) => stdout.includes("You rhyme."),
        wrong: [[["poet", "--plugin-dir", "none"], 2, "--plugin-dir none is no directory"]],
      },
    },
  },
  "schema list": {
    wrong: [],
    options: { revision: { given: ["--revision", "2026-11"], says: ({ stdout }) => !stdout.includes("2026-02") } },
  },
  "schema print": {
    words: ["task"],
    wrong: [[["tusk"], 2, "did you mean task?"]],
    options: {
      revision: { given: ["--revision", "2026-02"], says: ({ stdout }) => JSON.parse(stdout).$id.includes("2026-02") },
    },
  },
  "schema validate": {
    words: ["task", "{root}/tasks/parser-team/1.json"],
    wrong: [
      [["tusk", "x"], 2, "did you mean task?"],
      [["task", "none.json"], 3, "none.json"],
    ],
    options: {
      revision: { given: ["--revision", "2026-11"], shows: ({ document }) => document.verdicts.length === 1 },
    },
  },
  completion: {
    words: ["bash"],
    wrong: [
      [["tcsh"], 2, "use bash, zsh or fish"],
      [["bash", "task"], 2, "task"],
    ],
    options: {},
  },
  "conformance grade": {
    words: ["{root}"],
    wrong: [
      [["{home}/none"], 3, "there is no directory"],
      [["{cwd}"], 3, "there is no team in"],
    ],
    status: 1,
    options: {
      revision: { given: ["--revision", "2026-11"], shows: ({ document }) => document.runs.length === 1 },
      out: { given: ["--out", "report"], shows: ({ file }) => file("report") },
    },
  },
  "conformance report": {
    more: conformance('["conformance", "report", report, name]'),
    wrong: [
      [["none.ndjson"], 3, "none.ndjson"],
      [["{root}/tasks/parser-team/1.json"], 2, "1.json"],
    ],
    options: {},
  },
  "conformance matrix": {
    more: conformance('["conformance", "matrix", "matrix.html"'),
    wrong: [[["matrix.html", "none.ndjson"], 3, "none.ndjson"]],
    options: {},
  },
  "conformance run": {
    more: conformance('json("conformance-run", [...part, "--out", "part"])'),
    words: ["--target", "self", "--revision", "2026-02", "--only", "ATP-TSK-005"],
    isDear: true,
    hasOwnForm: true,
    wrong: [
      [[], 2, "say what to test"],
      [["--target", "none.yaml"], 3, "none.yaml"],
    ],
    options: {
      target: conformance('"--target", "self"', '"--target", "no-such-program x"'),
      revision: conformance('"--revision", "2026-02"', '"--revision", "2025-01"'),
      only: conformance('"--only", "TSK-ID"', '"--only", "NOTHING"'),
      baseline: conformance('"--baseline", "known.yaml"', '"--baseline", "absent"'),
      full: { given: ["--full"], says: ({ stdout }) => stdout.includes("full form") },
      seed: {
        given: ["--seed", "7"],
        says: ({ stdout }) => /Seed +7\n/.test(stdout),
        wrong: [[["--target", "self", "--seed", "x"], 2, "--seed takes a whole number"]],
      },
      network: { given: ["--network"], says: ({ stdout }) => !stdout.includes("no network") },
      out: { given: ["--out", "report"], says: ({ file }) => file("report") },
    },
  },
  "conformance adapter": {
    input: '{"jsonrpc":"2.0","id":1,"method":"hello","params":{}}\n',
    wrong: [],
    options: {},
  },
};
