import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place, Seen, Trial } from "./trial.ts";

/** A team in which somebody is at work: the process of this test leads it. */
function withLiveTeam({ root }: Place): void {
  mkdirSync(join(root, "teams/live"), { recursive: true });
  const config = {
    name: "live",
    createdAt: Date.now(),
    leadAgentId: "team-lead@live",
    leadSessionId: "s",
    leadProcess: { pid: process.pid, startedAt: Date.now() },
    members: [{ agentId: "team-lead@live", name: "team-lead", joinedAt: Date.now(), cwd: root }],
  };
  writeFileSync(join(root, "teams/live/config.json"), JSON.stringify(config));
}

const session = "5f0c8f5e-2f0a-4a54-9d0e-0f6f6c6a1d11";
const config = ({ file }: Seen, team: string) => JSON.parse(file(`teams/${team}/config.json`));
const unknownTeam = [["none"], 3, "there is no team none"] as const;

export const teamTrials: Readonly<Record<string, Trial>> = {
  show: {
    prepare: withLiveTeam,
    wrong: [[["{home}/nowhere"], 3, "there is no directory"]],
    options: { all: { given: ["--all"], says: ({ stdout }) => stdout.includes("Fuzz the parser") } },
  },
  "team list": {
    prepare: withLiveTeam,
    wrong: [],
    options: { all: { given: ["--all"], says: ({ stdout }) => /parser-team +revision 2026-02/.test(stdout) } },
  },
  "team show": { words: ["parser-team"], wrong: [unknownTeam], options: {} },
  "team create": {
    words: ["new"],
    wrong: [
      [["../old"], 2, '"../old" does not name a team'],
      [["parser-team"], 1, "there is a team called parser-team"],
    ],
    options: {
      description: {
        given: ["--description", "Read it"],
        shows: (seen) => config(seen, "new").description === "Read it",
      },
      revision: { given: ["--revision", "2026-11"], shows: ({ document }) => document.form === "2026-11" },
      lead: {
        given: ["--lead", "boss"],
        shows: (seen) => config(seen, "new").members[0].name === "boss",
        wrong: [[["new", "--lead", "a/b"], 2, "a/b"]],
      },
      model: { given: ["--model", "opus"], shows: (seen) => config(seen, "new").members[0].model === "opus" },
      cwd: { given: ["--cwd", "src"], shows: (seen) => config(seen, "new").members[0].cwd.endsWith("/project/src") },
      session: {
        given: ["--session", session],
        shows: ({ document }) => document.leadSessionId === session,
        wrong: [[["new", "--session", "abc"], 2, '--session takes a UUID, not "abc"']],
      },
      "lead-pid": {
        given: ["--revision", "2026-11", "--lead-pid", String(process.pid)],
        shows: (seen) => config(seen, "new").leadProcess?.pid === process.pid,
        wrong: [
          [
            ["new", "--revision", "2026-11", "--lead-pid", "x"],
            2,
            '--lead-pid takes the number of a process that runs here, not "x"',
          ],
          [["new", "--lead-pid", "1"], 2, "--lead-pid needs --revision 2026-11"],
        ],
      },
    },
  },
  "team join": {
    words: ["parser-team", "carol"],
    wrong: [
      [["parser-team", "a/b"], 2, '"a/b" does not name an agent'],
      [["parser-team", "reader"], 1, "reader"],
      [["parser-taem", "carol"], 3, "did you mean parser-team?"],
    ],
    options: {
      type: { given: ["--type", "poet"], shows: ({ document }) => document.member.agentType === "poet" },
      model: {
        given: ["--model", "sonnet"],
        shows: ({ document }) => document.member.model === "sonnet",
      },
      prompt: {
        given: ["--prompt", "-"],
        input: "Read the parser.",
        shows: ({ document }) => document.member.prompt === "Read the parser.",
      },
      cwd: {
        given: ["--cwd", "src"],
        shows: ({ document }) => document.member.cwd.endsWith("/project/src"),
      },
      backend: {
        given: ["--backend", "in-process"],
        shows: ({ document }) => document.member.tmuxPaneId === "in-process",
        wrong: [[["parser-team", "carol", "--backend", "tmux"], 2, "--pane needs the id of a tmux pane"]],
      },
      pane: {
        given: ["--pane", "%77"],
        shows: ({ document }) => document.member.tmuxPaneId === "%77",
        wrong: [
          [["parser-team", "carol", "--pane", "77"], 2, '--pane needs the id of a tmux pane, such as %14, not "77"'],
          [["parser-team", "carol", "--pane", "%7", "--backend", "in-process"], 2, "leave out --pane"],
        ],
      },
    },
  },
  "team leave": {
    words: ["parser-team", "reader"],
    wrong: [
      [["parser-team", "nobody"], 3, "nobody is not a member of parser-team"],
      [["parser-team", "team-lead"], 1, "team-lead leads parser-team to its end"],
    ],
    options: {},
  },
  "team compact": {
    words: ["parser-team", "--yes", "--force"],
    wrong: [
      [["none", "--yes"], 3, "there is no team none"],
      [["parser-team", "--yes"], 1, "reader"],
    ],
    options: {
      yes: { words: ["parser-team", "--force"], given: ["--yes"], says: ({ stdout }) => stdout.startsWith("removed") },
      force: {
        words: ["parser-team", "--yes"],
        given: ["--force"],
        says: ({ stdout }) => stdout.startsWith("removed"),
      },
    },
  },
  "team delete": {
    words: ["parser-team", "--yes", "--force"],
    wrong: [
      [["none", "--yes"], 3, "there is no team none"],
      [["parser-team", "--yes"], 1, "still has reader, writer, checker"],
    ],
    options: {
      yes: {
        words: ["parser-team", "--force"],
        given: ["--yes"],
        shows: (seen) => seen.file("teams/parser-team/config.json") === "",
      },
      force: {
        words: ["parser-team", "--yes"],
        given: ["--force"],
        shows: (seen) => seen.file("teams/parser-team/config.json") === "",
      },
    },
  },
};
