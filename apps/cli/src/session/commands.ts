import { type Command, defineCommand, teamArg } from "../command.ts";
import { headlessOptions, interactiveOptions, sessionOptions } from "./options.ts";

/** The commands that run an agent. */
export const sessionCommands: readonly Command[] = [
  defineCommand({
    name: "run",
    summary: "run an agent on one task in this folder and print its answer (troupe -p), or begin a session (troupe)",
    details:
      "On a terminal, without a task, a session begins: troupe alone does the same, and /help in it lists its keys. With a task, the agent may use the tools that the settings and the options allow. There is no prompt: a call that would need permission is denied. The command waits for agents running in the background and for teammates at work, and ends them with itself. A folder's own settings can allow something only if the folder is trusted (troupe trust). Needs ANTHROPIC_API_KEY; ANTHROPIC_BASE_URL sets another endpoint.",
    args: [
      {
        name: "prompt",
        summary:
          "the task; what is piped in stands behind it, or is the task without one or with -; on a terminal a session begins without one",
        isOptional: true,
      },
    ],
    options: { ...sessionOptions, ...headlessOptions, ...interactiveOptions },
    examples: [
      ["troupe run", "on a terminal: a session in this folder; troupe alone does the same"],
      ['troupe -p "Which tests are slow, and why?"', "only reads, so no permission is needed"],
      ['troupe run "Fix the typos in README.md" --permission-mode acceptEdits', "may edit files below this folder"],
      ['git diff | troupe -p "Review this" --output-format json', "one result, as users of claude know it"],
      ['git diff | troupe run - --json --allowed-tools "Bash(git log:*)"', "JSON for a program, with one allow rule"],
    ],
    exits: { 1: "the agent did not finish the task; standard error says why" },
    isLive: true,
    load: () => import("./run.ts"),
  }),
  defineCommand({
    name: "teammate",
    summary: "run a member of a team, until its lead shuts it down",
    details:
      "A lead starts this command with the flags that the protocol defines for teammates: --agent-id, --agent-name, --team-name, --agent-color, --parent-session-id, --agent-type, --model, and flags that limit its permissions. The teammate reads its messages, asks its lead for permissions it lacks, and reports when it is idle.",
    args: [{ name: "flags", summary: "the flags of a teammate, as its lead passes them", isRest: true }],
    options: {},
    examples: [
      [
        "troupe teammate --agent-id ann@t --agent-name ann --team-name t --agent-color blue --parent-session-id S --agent-type general-purpose --model sonnet",
        "the member ann of the team t",
      ],
    ],
    isLive: true,
    isForwarded: true,
    load: () => import("./teammate.ts"),
  }),
  defineCommand({
    name: "sessions",
    summary: "list the sessions of this folder, the newest first, with what each began with",
    args: [],
    options: { all: { summary: "all of them, not only the last twenty" } },
    examples: [["troupe sessions", "ids for troupe --resume"]],
    load: () => import("./sessions.ts"),
  }),
  defineCommand({
    name: "cost",
    summary: "show what the members of a team have used: tokens and dollars, each and together",
    details:
      "From the transcripts of the members' sessions and of the agents below them, as far as they are below the root; those that have left are included. Of forks it says how much of what they could read from the cache they did.",
    args: [teamArg],
    options: {},
    examples: [["troupe cost parser-team", "a line a member, and the sum"]],
    load: () => import("./cost.ts"),
  }),
];
