import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import {
  createAgents,
  type FakeAgent,
  type MessagesRequest,
  type Reply,
  type Rule,
  startFakeAnthropic,
} from "@troupe/fake-anthropic";
import { type Running, runProcess, type Start, startProcess } from "@troupe/process";
import { messageOf } from "@troupe/protocol";
import type { Store } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { type AskedRequest, startFakeChat } from "./chat.ts";
import type { InstalledClient } from "./client.ts";
import { agentOf } from "./conversation.ts";
import { key, surroundingsOf } from "./surroundings.ts";
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
  /** What the fake model was asked, in order of arrival at either endpoint. */
  requests(): readonly AskedRequest[];
  /** Runs the command line of Troupe to its end; throws with what it complains of. */
  troupe(...args: readonly string[]): Promise<string>;
  /** Starts the command line of Troupe, which ends with the stage. */
  startTroupe(args: readonly string[], more?: Readonly<Record<string, string>>): Running;
  /** Starts a program that is neither, which ends with the stage. */
  startOther(words: readonly string[], more?: Readonly<Record<string, string>>): Running;
  /** Starts the client without a screen, which ends with the stage. */
  startClient(args: readonly string[]): Running;
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

/**
 * CodeBuddy Code still writes down twenty calls of one answer, one by one, when the next answer
 * comes; one that comes before it is done leaves it in a turn that never ends.
 */
const thinkingMs = 1_500;

export async function openStage({ client, troupe, more = {}, answer }: StageDeps): Promise<Stage> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "interop-")));
  const cwd = join(home, "project");
  for (const place of [cwd, join(home, "tmp")]) mkdirSync(place);
  const { rule, agent } = createAgents({ nameOf: agentOf });
  const answered: Rule = (request, context) => {
    const usual = rule(request, context);
    return answer?.(agentOf(request, context), request) ?? usual;
  };
  const fake = await startFakeAnthropic({ rule: answered });
  const chat = await startFakeChat({ rule: answered, thinkingMs });
  const around = surroundingsOf(client, { home, cwd, messages: fake.url, chat: chat.url });
  const { root } = around;
  const common = {
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    HOME: home,
    TMPDIR: join(home, "tmp"),
    SHELL: "/bin/sh",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
  };
  const ours = { CLAUDE_CONFIG_DIR: root, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: fake.url };
  const environment = { ...common, ...ours };
  const clients = { ...common, ...around.environment, ...more };
  const terminal = openTerminal({ socket: join(home, "tmux"), cwd, environment: clients });
  const store = openFileStore({ root });
  const started: Running[] = [];
  function start(start: Omit<Start, "cwd">): Running {
    const one = startProcess({ ...start, cwd });
    started.push(one);
    return one;
  }
  return {
    client,
    home,
    root,
    cwd,
    environment: clients,
    terminal,
    store,
    agent,
    requests: () => [...fake.requests, ...chat.requests].sort((a, b) => a.at - b.at),
    async troupe(...args) {
      const run = { program: process.execPath, args: [troupe, ...args], cwd, environment };
      const { code, stdout, stderr, failure } = await runProcess({ ...run, timeoutMs: 60_000, keptBytes: 10_000_000 });
      if (code !== 0) throw new Error(`troupe ${args.join(" ")}: ${failure ?? stderr.trim()}`);
      return stdout;
    },
    startTroupe: (args, own = {}) =>
      start({ program: process.execPath, args: [troupe, ...args], environment: { ...environment, ...own } }),
    startOther: ([program = "", ...args], own = {}) =>
      start({ program, args, environment: { ...environment, ...own }, hasInput: true }),
    startClient(more) {
      const [program, ...args] = client.command;
      return start({ program, args: [...args, ...more], environment: clients, hasInput: true });
    },
    async close() {
      await Promise.all(started.map((one) => one.end()));
      await terminal.close();
      await store.close();
      await fake.close();
      await chat.close();
      try {
        rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
      } catch (error) {
        // What a client left behind still writes: nothing of that is a finding.
        process.stderr.write(`${home} is left: ${messageOf(error)}\n`);
      }
    },
  };
}
