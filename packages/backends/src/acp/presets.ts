import type { PermissionMode } from "@troupe/protocol";
import { markVariable } from "../records.ts";

/** A program that speaks ACP on its standard input and output. */
export interface AgentPreset {
  readonly command: readonly [program: string, ...args: string[]];
  /** Variables that it is given where they are set, besides those that every program is given. */
  readonly variables: readonly string[];
  /** What it calls our modes; one that it has not got is not there. */
  readonly modes: Readonly<Partial<Record<PermissionMode, string>>>;
}

const claudeModes = {
  default: "default",
  acceptEdits: "acceptEdits",
  plan: "plan",
  bypassPermissions: "bypassPermissions",
};

/** Published agents, as they were tried. */
export const agentPresets: Readonly<Record<string, AgentPreset>> = {
  claude: {
    command: ["claude-agent-acp"],
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CONFIG_DIR", "IS_SANDBOX"],
    modes: claudeModes,
  },
  codex: {
    command: ["codex-acp"],
    variables: ["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"],
    modes: { default: "read-only", acceptEdits: "agent", bypassPermissions: "agent-full-access" },
  },
  gemini: {
    command: ["gemini", "--acp"],
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
    modes: { default: "default", acceptEdits: "autoEdit", plan: "plan", bypassPermissions: "yolo" },
  },
  opencode: {
    command: ["opencode", "acp"],
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENCODE_CONFIG", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
    modes: { default: "build", plan: "plan" },
  },
  qwen: {
    command: ["qwen", "--acp"],
    variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "QWEN_HOME"],
    modes: { default: "default", acceptEdits: "auto-edit", plan: "plan", bypassPermissions: "yolo" },
  },
  codebuddy: {
    command: ["codebuddy", "--acp"],
    variables: ["CODEBUDDY_API_KEY", "CODEBUDDY_BASE_URL", "CODEBUDDY_MODEL", "CODEBUDDY_CONFIG_DIR"],
    modes: claudeModes,
  },
};

/** What every program needs to run at all, and the mark by which what it leaves is found. */
const common = ["PATH", "HOME", "USER", "SHELL", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ", markVariable];

/** The variables that a program of others is given: those that are named, and no other. */
export const lentVariables = (
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...common, ...names].flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** The preset of this name, or a program of this path; undefined for neither. */
export function presetNamed(word: string): AgentPreset | undefined {
  if (Object.hasOwn(agentPresets, word)) return agentPresets[word];
  return word.includes("/") ? { command: [word], variables: [], modes: claudeModes } : undefined;
}
