import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import {
  createAgents,
  type FakeAgent,
  type LoggedRequest,
  type MessagesRequest,
  type Reply,
  startFakeAnthropic,
} from "@troupe/fake-anthropic";
import { runProcess, startProcess } from "@troupe/process";
import type { Store } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import type { InstalledClient } from "./client.ts";
import { agentOf } from "./conversation.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

/** A throw-away home in which a client and Troupe work side by side, and the model of both. */
export interface Stage {
  readonly client: InstalledClient;
  readonly home: string;
  /** The directory that holds teams/ and tasks/. */
  readonly root: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly terminal: Terminal;
  readonly store: Store;
  agent(name: string): FakeAgent;
  /** What the fake model was asked, in order of arrival. */
  requests(): readonly LoggedRequest[];
  /** Runs the command line of Troupe to its end; throws with what it complains of. */
  troupe(...args: readonly string[]): Promise<string>;
  /** Starts the command line of Troupe, which ends with the stage. */
  startTroupe(args: readonly string[], more?: Readonly<Record<string, string>>): ReturnType<typeof startProcess>;
  close(): Promise<void>;
}

export interface StageDeps {
  readonly client: InstalledClient;
  /** `main.js` of the command line. */
  readonly troupe: string;
  /** For the client alone. */
  readonly more?: Readonly<Record<string, string>> | undefined;
  /** Answers for an agent whose model is no puppet. */
  readonly answer?: ((name: string | undefined, request: MessagesRequest) => Reply | undefined) | undefined;
}

const key = "sk-ant-api03-interop-this-is-not-a-key-0123456789";

/** The questions of a first start, answered as a person would. */
function answered(cwd: string) {
  const isSeen = { hasCompletedOnboarding: true, bypassPermissionsModeAccepted: true, theme: "dark" };
  const projects = { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  return { ...isSeen, customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] }, projects };
}

export async function openStage({ client, troupe, more = {}, answer }: StageDeps): Promise<Stage> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "interop-")));
  const [root, cwd] = [join(home, ".claude"), join(home, "project")];
  for (const place of [root, cwd, join(home, "tmp")]) mkdirSync(place);
  writeFileSync(join(root, ".claude.json"), JSON.stringify(answered(cwd)));
  writeFileSync(join(root, "settings.json"), JSON.stringify({ skipDangerousModePermissionPrompt: true }));
  const { rule, agent } = createAgents({ nameOf: agentOf });
  const fake = await startFakeAnthropic({
    rule: (request, context) => {
      const usual = rule(request, context);
      return answer?.(agentOf(request), request) ?? usual;
    },
  });
  const environment = {
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    HOME: home,
    TMPDIR: join(home, "tmp"),
    SHELL: "/bin/sh",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    CLAUDE_CONFIG_DIR: root,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: fake.url,
  };
  const quiet = {
    CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    ENABLE_TOOL_SEARCH: "false",
    // It refuses to skip questions as root unless it is told that nothing can be harmed.
    IS_SANDBOX: "1",
  };
  const clients = { ...environment, ...quiet, ...more };
  const terminal = openTerminal({ socket: join(home, "tmux"), cwd, environment: clients });
  const store = openFileStore({ root });
  const started: ReturnType<typeof startProcess>[] = [];
  return {
    client,
    home,
    root,
    cwd,
    environment: clients,
    terminal,
    store,
    agent,
    requests: () => fake.requests,
    async troupe(...args) {
      const run = { program: process.execPath, args: [troupe, ...args], cwd, environment };
      const { code, stdout, stderr, failure } = await runProcess({ ...run, timeoutMs: 60_000, keptBytes: 10_000_000 });
      if (code !== 0) throw new Error(`troupe ${args.join(" ")}: ${failure ?? stderr.trim()}`);
      return stdout;
    },
    startTroupe(args, own = {}) {
      const environmentOfIt = { ...environment, ...own };
      const one = startProcess({
        program: process.execPath,
        args: [troupe, ...args],
        cwd,
        environment: environmentOfIt,
      });
      started.push(one);
      return one;
    },
    async close() {
      await Promise.all(started.map((one) => one.end()));
      await terminal.close();
      await store.close();
      await fake.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    },
  };
}
