import { resolve } from "node:path";
import { programIn } from "@troupe/process";
import { type PermissionMode, TroupeError } from "@troupe/protocol";
import { markVariable } from "../records.ts";

/** A program that speaks ACP on its standard input and output. */
export interface AgentPreset {
  readonly command: readonly [program: string, ...args: string[]];
  /** The package of npm that brings the program. */
  readonly package?: string;
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
    package: "@agentclientprotocol/claude-agent-acp",
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CONFIG_DIR", "IS_SANDBOX"],
    modes: claudeModes,
  },
  codex: {
    command: ["codex-acp"],
    package: "@agentclientprotocol/codex-acp",
    variables: ["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"],
    modes: { default: "read-only", acceptEdits: "agent", bypassPermissions: "agent-full-access" },
  },
  gemini: {
    command: ["gemini", "--acp"],
    package: "@google/gemini-cli",
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
    modes: { default: "default", acceptEdits: "autoEdit", plan: "plan", bypassPermissions: "yolo" },
  },
  opencode: {
    command: ["opencode", "acp"],
    package: "opencode-ai",
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENCODE_CONFIG", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
    modes: { default: "build", plan: "plan" },
  },
  qwen: {
    command: ["qwen", "--acp"],
    package: "@qwen-code/qwen-code",
    variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "QWEN_HOME"],
    modes: { default: "default", acceptEdits: "auto-edit", plan: "plan", bypassPermissions: "yolo" },
  },
  codebuddy: {
    command: ["codebuddy", "--acp"],
    package: "@tencent-ai/codebuddy-code",
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

/**
 * The preset of this name, or a program of this path, with the whole path of its program. Throws
 * with the names there are, or with what to install.
 */
export function agentNamed(word: string, path: string | undefined): AgentPreset {
  const preset = presetNamed(word);
  const [name, ...args] = preset.command;
  const program = name.includes("/") ? resolve(name) : programIn(name, path);
  if (program !== undefined) return { ...preset, command: [program, ...args] };
  const message = `${name} is in no directory of PATH: npm install -g ${preset.package} installs it`;
  throw new TroupeError("teammate_failed", message, { name });
}

function presetNamed(word: string): AgentPreset {
  const preset = Object.hasOwn(agentPresets, word) ? agentPresets[word] : undefined;
  if (preset) return preset;
  if (word.includes("/")) return { command: [word], variables: [], modes: claudeModes };
  const known = Object.keys(agentPresets).join(", ");
  const message = `there is no agent ${JSON.stringify(word)}: choose one of ${known}, or the path of a program`;
  throw new TroupeError("arguments_invalid", message, { word });
}
