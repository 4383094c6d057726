import type { OptionTrial, Seen, Trial } from "./trial.ts";

const team = "parser-team";
const unknown = [[team, "99"], 3, "there is no task 99"] as const;
const ids = ({ document }: Seen) => document.tasks.map(({ id }: { id: string }) => id).join();
const inbox = ({ file }: Seen, name: string) => file(`teams/${team}/inboxes/${name}.json`);

/** Who is told that a task is theirs is told by whom. */
const asWriter = (words: readonly string[]): OptionTrial => ({
  words: [...words, "--owner", "reader"],
  given: ["--as", "writer"],
  shows: (seen) => inbox(seen, "reader").includes('\\"assignedBy\\":\\"writer\\"'),
  wrong: [[[...words, "--as", "nobody"], 3, "nobody is no member of parser-team"]],
});

/** The options that `task create` and `task update` share, on a line of one of them. */
const shared = (...words: readonly string[]): Trial["options"] => ({
  description: {
    given: ["--description", "-"],
    input: "At length.",
    shows: ({ document }) => document.task.description === "At length.",
  },
  "active-form": {
    given: ["--active-form", "Doing it"],
    shows: ({ document }) => document.task.activeForm === "Doing it",
  },
  owner: {
    given: ["--owner", "checker"],
    shows: ({ document }) => document.task.owner === "checker",
    wrong: [[[...words, "--owner", "nobody"], 3, '"nobody" is no member']],
  },
  metadata: {
    given: ["--metadata", '{"effort":7}'],
    shows: ({ document }) => document.task.metadata?.effort === 7,
    wrong: [
      [[...words, "--metadata", "{"], 2, "--metadata needs a JSON object"],
      [[...words, "--metadata", "[]"], 2, "--metadata needs a JSON object"],
    ],
  },
  "blocked-by": {
    given: ["--blocked-by", "1,2"],
    shows: ({ document }) => document.task.blockedBy.includes("2"),
    wrong: [
      [[...words, "--blocked-by", "99"], 3, "there is no task 99"],
      [[...words, "--blocked-by", "x"], 3, 'there is no task "x"'],
    ],
  },
  blocks: {
    given: ["--blocks", "3"],
    shows: ({ document }) => document.task.blocks.includes("3"),
    wrong: [
      [[...words, "--blocks", "99"], 3, "there is no task 99"],
      [[...words, "--blocks", "x"], 3, 'there is no task "x"'],
    ],
  },
  as: asWriter(words),
});

export const taskTrials: Readonly<Record<string, Trial>> = {
  "task list": {
    words: [team],
    wrong: [[["none"], 3, "there is no team none"]],
    options: {
      ready: { words: ["session-b7f5edcc"], given: ["--ready"], shows: (seen) => ids(seen) === "2" },
      owner: {
        given: ["--owner", "reader"],
        shows: (seen) => ids(seen) === "1",
        wrong: [[[team, "--owner", "nobody"], 3, "nobody"]],
      },
      status: { given: ["--status", "completed"], shows: (seen) => ids(seen) === "1,2" },
      watch: { elsewhere: "command-line-follow.test.ts", runs: ['"task", "list"', '"--watch"'] },
    },
  },
  "task show": { words: [team, "3"], wrong: [unknown, [[team, "x"], 3, "there is no task x"]], options: {} },
  "task create": {
    words: [team, "New"],
    wrong: [
      [[team, " "], 2, "the subject is empty"],
      [["none", "New"], 3, "there is no team none"],
    ],
    options: shared(team, "New"),
  },
  "task update": {
    words: [team, "5", "--description", "x"],
    wrong: [
      [[team, "5"], 2, "there is nothing to change"],
      [[team, "99", "--subject", "x"], 3, "there is no task 99"],
    ],
    options: {
      ...shared(team, "5"),
      as: asWriter([team, "5", "--description", "x"]),
      description: {
        words: [team, "5", "--subject", "x"],
        given: ["--description", "-"],
        input: "At length.",
        shows: ({ document }) => document.task.description === "At length.",
      },
      blocks: {
        words: [team, "3", "--description", "x"],
        given: ["--blocks", "5,4"],
        shows: ({ document }) => document.task.blocks.includes("5"),
        wrong: [
          [[team, "5", "--blocks", "99"], 3, "there is no task 99"],
          [[team, "5", "--blocks", "3"], 1, "3"],
        ],
      },
      subject: {
        given: ["--subject", "Other"],
        shows: ({ document }) => document.task.subject === "Other",
        wrong: [[[team, "5", "--subject", " "], 2, "the subject is empty"]],
      },
      unassign: {
        words: [team, "3", "--description", "x"],
        given: ["--unassign"],
        shows: ({ document }) => document.task.owner === undefined || document.task.owner === null,
        wrong: [[[team, "3", "--unassign", "--owner", "reader"], 2, "--unassign and --owner contradict each other"]],
      },
      status: { given: ["--status", "completed"], shows: ({ document }) => document.task.status === "completed" },
      "not-blocked-by": {
        given: ["--not-blocked-by", "3"],
        shows: ({ document }) => !document.task.blockedBy.includes("3"),
        wrong: [
          [[team, "5", "--not-blocked-by", "x"], 3, "there is no task x"],
          [[team, "5", "--not-blocked-by", "3", "--blocked-by", "3"], 2, "cannot be added and taken away at once"],
        ],
      },
      "not-blocks": {
        words: [team, "4", "--description", "x"],
        given: ["--not-blocks", "5"],
        shows: ({ document }) => !document.task.blocks.includes("5"),
        wrong: [[[team, "4", "--not-blocks", "x"], 3, "there is no task x"]],
      },
    },
  },
  "task claim": {
    words: ["session-b7f5edcc", "2"],
    wrong: [unknown, [[team, "5"], 1, "#5 waits for #3, #4"]],
    options: {
      as: {
        given: ["--as", "alice"],
        shows: ({ document }) => document.task.owner === "alice",
        wrong: [[["session-b7f5edcc", "2", "--as", "nobody"], 3, '"nobody" is no member']],
      },
    },
  },
  "task release": {
    words: [team, "3"],
    wrong: [unknown, [[team, "1"], 1, "reopens it"]],
    options: {
      as: {
        status: 1,
        given: ["--as", "reader"],
        says: ({ stderr }) => stderr.includes("owned by writer"),
        wrong: [[[team, "3", "--as", "nobody"], 1, "owned by writer"]],
      },
    },
  },
  "task complete": {
    words: [team, "3"],
    wrong: [unknown],
    options: {
      as: {
        given: ["--as", "checker"],
        shows: ({ file }) => file("troupe/teams/parser-team").includes('"checker"'),
        wrong: [[[team, "3", "--as", "nobody"], 3, "nobody is no member"]],
      },
    },
  },
  "task delete": {
    words: [team, "5", "--yes"],
    wrong: [[[team, "99", "--yes"], 3, "there is no task 99"]],
    options: {
      yes: { words: [team, "5"], given: ["--yes"], shows: ({ file }) => file(`tasks/${team}/5.json`) === "" },
    },
  },
  "task graph": {
    words: [team],
    wrong: [[["none"], 3, "there is no team none"]],
    options: { dot: { given: ["--dot"], says: ({ stdout }) => stdout.startsWith("digraph") } },
  },
};
