import { type Command, defineCommand } from "../command.ts";

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
        summary: "the task; - reads it from standard input; without one, on a terminal, a session begins",
        isOptional: true,
      },
    ],
    options: {
      model: { value: "MODEL", summary: "a model id, or sonnet, opus, haiku, fable" },
      "permission-mode": { value: "MODE", summary: "which calls run without a prompt (default: default)" },
      "dangerously-skip-permissions": { summary: "allow every call that no deny rule matches" },
      "allowed-tools": { value: "RULES", summary: 'allow rules, such as "Bash(git:*) Edit"' },
      "disallowed-tools": { value: "RULES", summary: "deny rules, in the same form" },
      "max-turns": { value: "N", summary: "stop after this many requests to the model" },
      "screen-reader": {
        summary: "for a screen reader: nothing moves by itself, and words stand where others see signs",
      },
      resume: { value: "ID", summary: "resume this session; if it leads a team, with its teammates" },
      revision: {
        value: "NAME",
        choices: ["2026-02", "2026-11"],
        summary: "the revision of the protocol that the tools follow",
      },
      teammates: {
        value: "WHERE",
        completes: ["auto", "in-process", "process", "tmux"],
        summary:
          "where teammates run: in-process, process, tmux, or auto, which means tmux inside tmux (default: the setting teammateMode, else in-process)",
      },
    },
    examples: [
      ["troupe run", "on a terminal: a session in this folder; troupe alone does the same"],
      ['troupe -p "Which tests are slow, and why?"', "only reads, so no permission is needed"],
      ['troupe run "Fix the typos in README.md" --permission-mode acceptEdits', "may edit files below this folder"],
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
];
