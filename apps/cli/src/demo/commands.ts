import { type Command, defineCommand } from "../command.ts";

/** The command that shows a team at work. */
export const demoCommands: readonly Command[] = [
  defineCommand({
    name: "demo",
    summary: "watch a lead and three teammates work on a small repository",
    details:
      "Makes a repository in a new temporary directory and lets a team fix a fault in it, with real tools, processes (in tmux, if there is one) and tests. Needs no key: the model is a script behind a Messages API on this machine. With ANTHROPIC_API_KEY the same team works with the real API, which costs money. A plan is sent back, permissions are asked for, a teammate is killed in the middle, and in the end everything is removed, unless it is kept.",
    args: [],
    options: { keep: { summary: "leave the repository and the team, and say how to look at them" } },
    examples: [
      ["troupe demo", "takes about twenty seconds"],
      [
        "troupe demo --keep",
        "leaves the repository, the team and all transcripts; names the command that opens the team in the browser",
      ],
    ],
    exits: { 1: "the work was not done; standard error says what is missing" },
    isLive: true,
    load: () => import("./demo.ts"),
  }),
];
