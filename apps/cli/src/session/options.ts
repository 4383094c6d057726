import type { Option, OptionValues } from "../command.ts";

/** Definitions besides those of the folder and its user. */
export const definitionOptions = {
  agents: { value: "JSON", summary: "definitions besides those of the folder: JSON, or a file with it" },
  "plugin-dir": {
    value: "DIR",
    isRepeated: true,
    completes: "directory",
    summary: "a plugin: its agents and skills can be used under its name, as in NAME:agent",
  },
} as const satisfies Readonly<Record<string, Option>>;

/** The options of a session, by the names that users of `claude` know. */
export const sessionOptions = {
  model: { value: "MODEL", summary: "a model id, or sonnet, opus, haiku, fable" },
  agent: { value: "TYPE", summary: "work as this agent definition says" },
  ...definitionOptions,
  "append-system-prompt": { value: "TEXT", summary: "add this to the agent's role" },
  "permission-mode": { value: "MODE", summary: "which calls run without a prompt (default: default)" },
  "dangerously-skip-permissions": { summary: "allow every call that no deny rule matches" },
  "allowed-tools": {
    value: "RULES",
    isRepeated: true,
    aliases: ["allowedTools"],
    summary: 'allow rules, such as "Bash(git:*) Edit"; also --allowedTools',
  },
  "disallowed-tools": {
    value: "RULES",
    isRepeated: true,
    aliases: ["disallowedTools"],
    summary: "deny rules, in the same form; also --disallowedTools",
  },
  "add-dir": { value: "DIR", isRepeated: true, completes: "directory", summary: "another directory to work in" },
  settings: { value: "FILE", completes: "file", summary: "settings besides those of files: a file, or JSON" },
  "mcp-config": {
    value: "FILE",
    isRepeated: true,
    completes: "file",
    summary: 'MCP servers: a file with "mcpServers", or JSON',
  },
  resume: {
    short: "r",
    value: "ID",
    takesNothing: true,
    summary: "resume this session; if it leads a team, with its teammates; on a terminal, without ID, choose one",
  },
  continue: { short: "c", summary: "resume the last session of this folder" },
  "session-id": { value: "UUID", summary: "the id of the new session" },
  worktree: { short: "w", value: "NAME", summary: "work in this git worktree, .claude/worktrees/NAME; made if absent" },
  revision: {
    value: "NAME",
    choices: ["2026-02", "2026-11"],
    summary: "the revision of the protocol that the tools follow",
  },
  team: { value: "NAME", summary: "lead this team from the beginning; made if absent" },
  backend: {
    value: "WHERE",
    aliases: ["teammates"],
    completes: [
      "auto",
      "in-process",
      "process",
      "tmux",
      "acp-claude",
      "acp-codex",
      "acp-gemini",
      "acp-opencode",
      "acp-qwen",
      "acp-codebuddy",
    ],
    summary:
      "where teammates run: in-process, process, tmux, auto, which means tmux inside tmux, or as an agent of another make: acp-claude, acp-codex, acp-gemini, acp-opencode, acp-qwen, acp-codebuddy (default: the setting teammateMode, else in-process)",
  },
  "plan-approval": {
    value: "WHO",
    choices: ["lead", "user", "auto"],
    summary:
      "who approves the plans of teammates: the lead's model, you at its screen, or nobody (default: the setting planApproval, else lead)",
  },
  "plan-mode-required": { summary: "teammates change nothing before their plan is approved" },
} as const satisfies Readonly<Record<string, Option>>;

/** The options of a run that nobody looks on at. */
export const headlessOptions = {
  print: { short: "p", summary: "one task and its answer, also on a terminal; troupe -p means troupe run --print" },
  "max-turns": { value: "N", summary: "stop after this many requests to the model" },
  "max-budget-usd": {
    value: "USD",
    summary: "stop once the requests of this process have cost so much; teammates must run in-process",
  },
  "output-format": {
    value: "FORMAT",
    choices: ["text", "json", "stream-json"],
    summary: "the answer (text), one result (json), or every message as it comes, one a line (stream-json)",
  },
  "input-format": {
    value: "FORMAT",
    choices: ["text", "stream-json"],
    summary: "with stream-json standard input brings messages, one a line, until it ends",
  },
  verbose: { summary: "tell on standard error which tools are used" },
} as const satisfies Readonly<Record<string, Option>>;

/** The options of a session at a terminal. */
export const interactiveOptions = {
  "screen-reader": {
    summary: "for a screen reader: nothing moves by itself, and words stand where others see signs",
  },
} as const satisfies Readonly<Record<string, Option>>;

export type RunOptions = OptionValues<typeof sessionOptions & typeof headlessOptions & typeof interactiveOptions>;
