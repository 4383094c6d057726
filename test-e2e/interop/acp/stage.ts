import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Rule, startFakeAnthropic } from "@troupe/fake-anthropic";
import { runProcess } from "@troupe/process";
import { startFakeChat } from "../chat.ts";
import { publishedAgents } from "./agents.ts";
import { startEndpoint } from "./endpoint.ts";
import { generateContent } from "./generate-content.ts";
import { carryOut } from "./orders.ts";
import { responses } from "./responses.ts";

/** A message as our lead has it. */
export interface Heard {
  readonly from: string;
  readonly text: string;
  readonly request?: { readonly id: string; readonly kind: string };
}

/** A home to throw away, with a team that `troupe mcp --lead` leads, and its models. */
export interface LiveStage {
  readonly home: string;
  readonly root: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Calls a tool as the lead; throws what it complains of. */
  ask(tool: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** What the lead has heard so far. */
  readonly heard: readonly Heard[];
  /** Every program of the home but those that the stage itself started. */
  processes(): readonly LiveProcess[];
  close(): Promise<void>;
}

export interface LiveProcess {
  readonly pid: number;
  readonly parent: number;
  readonly words: string;
}

export interface LiveDeps {
  /** Presets, and where their packages are installed. */
  readonly agents: Readonly<Record<string, string>>;
  /** `main.js` of the command line. */
  readonly troupe: string;
  /** Told what each model is asked. */
  readonly onAsked: (agent: string, asked: unknown) => void;
}

export async function openLiveStage({ agents, troupe, onAsked }: LiveDeps): Promise<LiveStage> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "interop-acp-")));
  const [cwd, bin, root] = [join(home, "project"), join(home, "bin"), join(home, "root")];
  for (const place of [cwd, bin, root, join(home, "tmp")]) mkdirSync(place);
  const rule: Rule = (request, context) => {
    onAsked("", { ...request, tools: request.tools.map(({ name }) => name) });
    return carryOut(request, context);
  };
  const fake = await startFakeAnthropic({ rule });
  const others = await Promise.all([
    startFakeChat({ rule }),
    startEndpoint(responses, rule),
    startEndpoint(generateContent, rule),
  ]);
  const [chat, codex, gemini] = others.map(({ url }) => url);
  const at = { messages: fake.url, chat: chat ?? "", responses: codex ?? "", gemini: gemini ?? "" };
  let environment: Readonly<Record<string, string>> = {
    PATH: [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter),
    HOME: home,
    TMPDIR: join(home, "tmp"),
    SHELL: "/bin/sh",
    TERM: "dumb",
    LANG: "C.UTF-8",
  };
  for (const [name, place] of Object.entries(agents)) {
    const published = publishedAgents[name];
    if (!published) throw new Error(`there is no agent ${name}`);
    const file = join(place, "node_modules", published.program);
    const command = published.isBinary ? `'${file}'` : `'${process.execPath}' '${file}'`;
    writeFileSync(join(bin, published.called), `#!/bin/sh\nexec ${command} "$@"\n`);
    chmodSync(join(bin, published.called), 0o755);
    environment = { ...environment, ...published.settle(home, at) };
  }
  const create = [troupe, "team", "create", "crew", "--revision", "2026-11", "--root", root];
  const run = { program: process.execPath, args: create, cwd, environment, timeoutMs: 60_000, keptBytes: 20_000 };
  const { code, stderr } = await runProcess(run);
  if (code !== 0) throw new Error(stderr);
  const backends = Object.keys(agents).flatMap((name) => ["--backend", `acp-${name}`]);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [troupe, "mcp", "--team", "crew", "--root", root, "--lead", ...backends],
    cwd,
    env: { ...environment },
    stderr: "inherit",
  });
  const client = new Client({ name: "interop", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport);
  const ask: LiveStage["ask"] = async (name, args = {}) => {
    const { isError, content, structuredContent } = await client.callTool(
      { name, arguments: args },
      { timeout: 120_000 },
    );
    if (isError) throw new Error(JSON.stringify(content));
    return structuredContent as Record<string, unknown>;
  };
  const heard: Heard[] = [];
  let isOver = false;
  const listening = (async () => {
    while (!isOver) {
      const { messages } = (await ask("read_mail", { wait_seconds: 1 })) as { readonly messages: readonly Heard[] };
      heard.push(...messages);
    }
  })();
  listening.catch(() => {});
  return {
    home,
    root,
    cwd,
    environment,
    ask,
    heard,
    processes: () => processesAt(home).filter(({ pid, words }) => pid !== transport.pid && words !== ""),
    async close() {
      isOver = true;
      await listening.catch(() => {});
      await client.close();
      await Promise.all([fake, ...others].map((one) => one.close()));
      for (const { pid } of processesAt(home)) process.kill(pid, "SIGKILL");
      rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    },
  };
}

/** The programs that were started with this home. */
function processesAt(home: string): readonly LiveProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(`HOME=${home}`)) return [];
        const [, parent = "0"] = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, "utf8")) ?? [];
        const words = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return [{ pid: Number(name), parent: Number(parent), words }];
      } catch {
        return [];
      }
    });
}
