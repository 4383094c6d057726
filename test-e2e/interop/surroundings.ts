import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "./client.ts";

/** What a client finds in a throw-away home. */
export interface Surroundings {
  /** The directory that holds teams/ and tasks/. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface SurroundingsDeps {
  readonly home: string;
  readonly cwd: string;
  /** Where its model is played: a Messages API and a chat-completions endpoint. */
  readonly messages: string;
  readonly chat: string;
}

export const key = "sk-ant-api03-interop-this-is-not-a-key-0123456789";

/** The questions of a first start, answered as a person would. */
function answered(cwd: string) {
  const isSeen = { hasCompletedOnboarding: true, bypassPermissionsModeAccepted: true, theme: "dark" };
  const projects = { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  return { ...isSeen, customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] }, projects };
}

function claudeCode({ home, cwd, messages }: SurroundingsDeps): Surroundings {
  const root = join(home, ".claude");
  mkdirSync(root);
  writeFileSync(join(root, ".claude.json"), JSON.stringify(answered(cwd)));
  writeFileSync(join(root, "settings.json"), JSON.stringify({ skipDangerousModePermissionPrompt: true }));
  return {
    root,
    environment: {
      CLAUDE_CONFIG_DIR: root,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: messages,
      CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      ENABLE_TOOL_SEARCH: "false",
      // It refuses to skip questions as root unless it is told that nothing can be harmed.
      IS_SANDBOX: "1",
    },
  };
}

function codebuddy({ home, chat }: SurroundingsDeps): Surroundings {
  const root = join(home, ".codebuddy");
  mkdirSync(root);
  return {
    root,
    environment: {
      CODEBUDDY_CONFIG_DIR: root,
      CODEBUDDY_API_KEY: key,
      CODEBUDDY_BASE_URL: chat,
      CODEBUDDY_MODEL: "default-model",
      CODEBUDDY_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
    },
  };
}

const surroundings = { "claude-code": claudeCode, codebuddy };

/** Prepares a home for a client. */
export const surroundingsOf = ({ kind }: Pick<Client, "kind">, deps: SurroundingsDeps): Surroundings =>
  surroundings[kind](deps);
