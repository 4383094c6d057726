import { type Command, defineCommand, teamArg } from "../command.ts";

const requestArg = {
  name: "request",
  summary: "its id, a unique beginning of that, or the member that asks",
  completes: "member",
} as const;
const noteOption = { value: "TEXT", summary: "what the member is told besides" } as const;
const details =
  "The answer is the lead's: the first one counts, here or at the lead's own screen, and the second is told so. Waits ten seconds at most for the member to say that it heard. An agent cannot run this command.";

/** The commands that steer a team from another terminal. */
export const steerCommands: readonly Command[] = [
  defineCommand({
    name: "permission list",
    summary: "list what teammates ask to be allowed, in full",
    args: [teamArg],
    options: {},
    examples: [["troupe permission list parser-team", "who wants to run what, and for how long it waits"]],
    load: () => import("./permission-list.ts"),
  }),
  defineCommand({
    name: "permission allow",
    summary: "allow what a teammate asks for, once",
    details,
    args: [teamArg, requestArg],
    options: { note: noteOption },
    examples: [["troupe permission allow parser-team alice --note 'only this once'", "the only request of alice"]],
    load: () => import("./permission-allow.ts"),
  }),
  defineCommand({
    name: "permission deny",
    summary: "deny what a teammate asks for",
    details,
    args: [teamArg, requestArg],
    options: { note: noteOption },
    examples: [["troupe permission deny parser-team perm-17 --note 'use the copy'", "the request whose id begins so"]],
    load: () => import("./permission-deny.ts"),
  }),
  defineCommand({
    name: "plan show",
    summary: "show the plans that wait for an approval",
    args: [teamArg, { ...requestArg, isOptional: true }],
    options: {},
    examples: [["troupe plan show parser-team alice", "the plan that alice has handed in"]],
    load: () => import("./plan-show.ts"),
  }),
  defineCommand({
    name: "plan approve",
    summary: "approve the plan of a teammate, which then carries it out",
    details,
    args: [teamArg, requestArg],
    options: {
      note: noteOption,
      mode: {
        value: "MODE",
        choices: ["default", "acceptEdits", "bypassPermissions", "dontAsk"],
        summary: "the permission mode that it works in from then on (default: default)",
      },
    },
    examples: [["troupe plan approve parser-team alice --mode acceptEdits", "alice goes on, and may edit files"]],
    load: () => import("./plan-approve.ts"),
  }),
  defineCommand({
    name: "plan reject",
    summary: "send the plan of a teammate back, with what to change",
    details,
    args: [teamArg, requestArg],
    options: { note: noteOption },
    examples: [["troupe plan reject parser-team alice --note 'begin with the tests'", "alice plans again"]],
    load: () => import("./plan-reject.ts"),
  }),
  defineCommand({
    name: "spawn",
    summary: "start a teammate, as the lead of the team does",
    details:
      "A session that leads the team goes on with the teammate as with its own: it hears of its end, and ends it with itself. Without one you lead: read its reports with troupe inbox, answer it with troupe permission and troupe plan. Needs ANTHROPIC_API_KEY, as the teammate does; with --acp what the agent needs.",
    args: [teamArg, { name: "name", summary: "the name that others address it by" }],
    options: {
      prompt: { value: "TEXT", summary: "its first instruction; - reads it from standard input" },
      type: { value: "AGENT", summary: "its agent definition (default: general-purpose)", completes: "agent" },
      model: { value: "MODEL", summary: "its model (default: that of its definition, else of the lead)" },
      cwd: { value: "DIR", summary: "where it works (default: here)", completes: "directory" },
      backend: {
        value: "BACKEND",
        choices: ["process", "tmux", "host"],
        summary: "where it runs: here, or on any host that takes it (default: tmux inside tmux, else process)",
      },
      host: {
        value: "LABEL",
        isRepeated: true,
        summary: "it runs on a host with this label, and begins with the commit that is checked out here",
      },
      acp: {
        value: "NAME",
        choices: ["claude", "codex", "gemini", "opencode", "qwen", "codebuddy"],
        summary: "it is an agent of another make, whose program is in PATH, with its own login and model",
      },
      "permission-mode": {
        value: "MODE",
        choices: ["default", "acceptEdits", "bypassPermissions", "dontAsk"],
        summary: "which calls run without a question (default: default)",
      },
      "plan-mode-required": { summary: "it hands in a plan before it changes anything" },
    },
    examples: [
      ["troupe spawn parser-team alice --prompt 'Write the tests of the parser'", "alice works from now on"],
      ["troupe spawn parser-team bob --type reviewer --backend tmux --prompt -", "bob, with words from a pipe"],
      ["troupe spawn bob --acp gemini --prompt 'Review the parser'", "bob is Gemini, in the team that is live"],
    ],
    load: () => import("./spawn.ts"),
  }),
  defineCommand({
    name: "shutdown",
    summary: "ask a teammate to end, and wait until it has",
    details:
      "The teammate agrees or says why it goes on; its unfinished tasks are free again once it has ended. Exits with 1 if one goes on, or has not answered in time.",
    args: [
      teamArg,
      {
        name: "member",
        summary: "the member, or a unique beginning of its name",
        isOptional: true,
        completes: "member",
      },
    ],
    options: {
      all: { summary: "every teammate; needs the whole name of the team", isDestructive: true },
      reason: { value: "TEXT", summary: "why, in words for the teammate" },
      wait: { value: "SECONDS", summary: "how long to wait at most (default: 60)" },
      force: {
        summary: "then end what has not ended, with all that runs below it, here or on a host",
        isDestructive: true,
      },
    },
    examples: [
      ["troupe shutdown parser-team alice", "alice finishes her turn and ends"],
      ["troupe shutdown parser-team --all --reason 'that is it for today'", "all of them end"],
      ["troupe shutdown parser-team alice --wait 5 --force", "alice ends, whether she agrees or not"],
    ],
    load: () => import("./shutdown.ts"),
  }),
  defineCommand({
    name: "attach",
    summary: "show the tmux pane of a member in this terminal",
    details:
      "Inside the same tmux it goes to the pane; elsewhere it attaches, and the detach key of tmux comes back. Into a pipe, or with --json, it only prints the command.",
    args: [teamArg, { name: "member", summary: "the member, or a unique beginning of its name", completes: "member" }],
    options: {},
    examples: [["troupe attach parser-team alice", "alice at work"]],
    load: () => import("./attach.ts"),
  }),
];
