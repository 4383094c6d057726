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
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Rule, startFakeAnthropic } from "@troupe/fake-anthropic";
import { runProcess } from "@troupe/process";
import { killAll } from "../../processes.ts";
import { startFakeChat } from "../chat.ts";
import { key } from "../surroundings.ts";
import type { PublishedAgent } from "./agents.ts";
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

export interface InstalledAgent extends Pick<PublishedAgent, "called" | "isBinary" | "settle"> {
  /** Its program. */
  readonly file: string;
}

export interface LiveDeps {
  /** By the names of their presets. */
  readonly agents: Readonly<Record<string, InstalledAgent>>;
  /** `main.js` of the command line. */
  readonly troupe: string;
  /** Told what each model is asked. */
  readonly onAsked: (asked: object) => void;
}

export async function openLiveStage({ agents, troupe, onAsked }: LiveDeps): Promise<LiveStage> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "interop-acp-")));
  const [cwd, bin, root] = [join(home, "project"), join(home, "bin"), join(home, "root")];
  for (const place of [cwd, bin, root, join(home, "tmp")]) mkdirSync(place);
  const rule: Rule = (request, context) => {
    onAsked({ ...request, tools: request.tools.map(({ name }) => name) });
    return carryOut(request, context);
  };
  const fake = await startFakeAnthropic({ rule });
  const others = await Promise.all([
    startFakeChat({ rule, thinkingMs: 300 }),
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
    // For sessions of ours.
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: fake.url,
  };
  for (const { called, file, isBinary, settle } of Object.values(agents)) {
    const command = isBinary ? `'${file}'` : `'${process.execPath}' '${file}'`;
    writeFileSync(
      join(bin, called),
      `#!/bin/sh
exec ${command} "$@"
`,
    );
    chmodSync(join(bin, called), 0o755);
    environment = { ...environment, ...settle(home, at) };
  }
  const create = [troupe, "team", "create", "crew", "--revision", "2026-11", "--root", root];
  const run = { program: process.execPath, args: create, cwd, environment, timeoutMs: 60_000, keptBytes: 20_000 };
  const { code, stderr } = await runProcess(run);
  if (code !== 0) throw new Error(stderr);
  const backends = [...Object.keys(agents).map((name) => `acp-${name}`), "process"].flatMap((name) => [
    "--backend",
    name,
  ]);
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
      killAll(processesAt(home).map(({ pid }) => pid));
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

const limitMs = 45_000;

/** Resolves with what `look` finds; fails in time with what the lead heard last. */
export async function until<T>(
  { heard, processes }: LiveStage,
  what: string,
  look: () => T | Promise<T>,
): Promise<Exclude<T, undefined | false>> {
  const late = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
    if (Date.now() > late) {
      const last = heard.slice(-3).map(({ from, text }) => `${from}: ${text.slice(0, 300)}`);
      const left = processes().map(({ words }) => words.slice(0, 120));
      throw new Error(
        `waited ${limitMs / 1_000} s for ${what}; the lead heard ${JSON.stringify(last)}; ${left.join("; ")}`,
      );
    }
    await delay(100);
  }
}
