import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { key } from "../surroundings.ts";

/** Where the models of agents are played, one address for each dialect. */
interface Endpoints {
  readonly messages: string;
  readonly chat: string;
  readonly responses: string;
  readonly gemini: string;
}

/** A published agent, as npm has it. */
export interface PublishedAgent {
  /** The package and its version. */
  readonly wanted: `${string}@${string}`;
  /** Its program below node_modules: a script for Node, or a binary. */
  readonly program: string;
  readonly isBinary?: true;
  /** What its preset calls the program. */
  readonly called: string;
  /** Prepares a throw-away home; what its user would have set. */
  settle(home: string, at: Endpoints): Readonly<Record<string, string>>;
}

function write(home: string, path: string, content: object | string): void {
  const file = join(home, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

const codexConfig = (url: string): string => `model = "gpt-5"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
`;

/** By the name of its preset; each version is one that runs on the oldest Node that we support. */
export const publishedAgents: Readonly<Record<string, PublishedAgent>> = {
  claude: {
    wanted: "@agentclientprotocol/claude-agent-acp@0.49.0",
    program: "@agentclientprotocol/claude-agent-acp/dist/index.js",
    called: "claude-agent-acp",
    settle(home, { messages }) {
      const config = join(home, "claude");
      mkdirSync(config);
      return { CLAUDE_CONFIG_DIR: config, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: messages, IS_SANDBOX: "1" };
    },
  },
  codex: {
    wanted: "@agentclientprotocol/codex-acp@2.6.0",
    program: "@agentclientprotocol/codex-acp/dist/index.js",
    called: "codex-acp",
    settle(home, { responses }) {
      write(home, "codex/config.toml", codexConfig(responses));
      return { CODEX_HOME: join(home, "codex"), OPENAI_API_KEY: key };
    },
  },
  gemini: {
    wanted: "@google/gemini-cli@0.61.0",
    program: "@google/gemini-cli/bundle/gemini.js",
    called: "gemini",
    settle(home, { gemini }) {
      const security = { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } };
      // With a model of its own choice it asks another model which, for a minute and a half.
      const model = { name: "gemini-2.5-flash" };
      write(home, ".gemini/settings.json", { security, model, general: { disableAutoUpdate: true } });
      return { GOOGLE_GEMINI_BASE_URL: gemini, GEMINI_API_KEY: key };
    },
  },
  opencode: {
    wanted: `opencode-${process.platform}-${process.arch}@1.18.33`,
    program: `opencode-${process.platform}-${process.arch}/bin/opencode`,
    isBinary: true,
    called: "opencode",
    settle(home, { chat }) {
      const models = { player: { name: "player", limit: { context: 200_000, output: 8_000 } } };
      const here = {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${chat}/v1`, apiKey: key },
        models,
      };
      const permission = { bash: "ask", edit: "ask" };
      write(home, ".config/opencode/opencode.json", { model: "here/player", provider: { here }, permission });
      return {};
    },
  },
  qwen: {
    wanted: "@qwen-code/qwen-code@0.24.4",
    program: "@qwen-code/qwen-code/cli.js",
    called: "qwen",
    settle(home, { chat }) {
      write(home, ".qwen/settings.json", { security: { auth: { selectedType: "openai" } } });
      return { OPENAI_BASE_URL: `${chat}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: "player" };
    },
  },
  codebuddy: {
    wanted: "@tencent-ai/agent-sdk@0.3.201",
    program: "@tencent-ai/agent-sdk/cli/bin/codebuddy",
    called: "codebuddy",
    settle(home, { chat }) {
      const config = join(home, "codebuddy");
      mkdirSync(config);
      return {
        CODEBUDDY_CONFIG_DIR: config,
        CODEBUDDY_API_KEY: key,
        CODEBUDDY_BASE_URL: chat,
        CODEBUDDY_MODEL: "default-model",
      };
    },
  },
};
