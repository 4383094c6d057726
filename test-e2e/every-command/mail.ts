import type { Seen, Trial } from "./trial.ts";

const team = "parser-team";
const inbox = ({ file }: Seen, name: string) => JSON.parse(file(`teams/${team}/inboxes/${name}.json`) || "[]");
const last = (seen: Seen, name = "reader") => inbox(seen, name).at(-1);
const events = ({ document }: Seen): readonly { readonly at: string }[] => document.events;
const follows = (command: string, option: string) => ({
  elsewhere: "command-line-follow.test.ts",
  runs: [`"${command}"`, `"${option}"`],
});

export const mailTrials: Readonly<Record<string, Trial>> = {
  send: {
    words: [team, "reader", "Hello."],
    wrong: [
      [[team, "nobody", "x"], 3, "there is no nobody in parser-team"],
      [[team, "reader", ""], 2, "the message is empty"],
      [[team, "reader", "-"], 2, "the message is empty"],
      [["none", "reader", "x"], 3, "there is no team none"],
    ],
    options: {
      all: { words: [team, "Hello."], given: ["--all"], shows: (seen) => last(seen, "checker")?.text === "Hello." },
      summary: { given: ["--summary", "A greeting"], shows: (seen) => last(seen).summary === "A greeting" },
      urgent: { given: ["--urgent"], shows: (seen) => JSON.stringify(last(seen)).includes("urgent") },
      as: {
        given: ["--as", "writer"],
        shows: (seen) => last(seen).from === "writer",
        wrong: [[[team, "reader", "x", "--as", "nobody"], 3, "nobody is no member of parser-team"]],
      },
    },
  },
  inbox: {
    words: [team, "team-lead"],
    wrong: [
      [[team, "nobody"], 3, "there is no nobody in parser-team"],
      [["none"], 3, "there is no team none"],
    ],
    options: {
      all: {
        given: ["--all"],
        shows: ({ document }) => document.messages.some(({ entry }: Seen["document"]) => entry.read),
      },
      take: {
        given: ["--take"],
        shows: (seen) => inbox(seen, "team-lead").every(({ read }: { read: boolean }) => read),
        wrong: [[["parser", "team-lead", "--take"], 3, "did you mean parser-team?"]],
      },
      follow: follows("inbox", "--follow"),
    },
  },
  log: {
    words: [team],
    wrong: [[["none"], 3, "there is no team none"]],
    options: {
      follow: follows("log", "--follow"),
      lines: {
        given: ["--lines", "2"],
        shows: (seen) => events(seen).length === 2,
        wrong: [
          [[team, "--lines", "few"], 2, '--lines needs a number, not "few"'],
          [[team, "-n", "1.5"], 2, "--lines needs a number"],
        ],
      },
      since: {
        given: ["--since", "2999-01-01"],
        shows: (seen) => events(seen).length === 0,
        wrong: [[[team, "--since", "yesterday"], 2, "--since"]],
      },
      from: {
        given: ["--from", "reader"],
        says: ({ stdout }) => stdout.includes("reader") && !stdout.includes("was created"),
        wrong: [[[team, "--from", "nobody"], 3, "nobody"]],
      },
    },
  },
  watch: {
    words: [team],
    until: "parser-team",
    wrong: [[["none"], 3, "there is no team none"]],
    options: {},
  },
};
