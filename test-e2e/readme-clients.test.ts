import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { main, openTroupe } from "./command-line.ts";

const { home, told } = openTroupe();
const readme = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8");

/** What a configuration starts, wherever in it the command stands. */
function commandIn(value: unknown): readonly string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { command, args = [] } = value as { readonly command?: string | string[]; readonly args?: readonly string[] };
  if (command !== undefined) return [command, args].flat();
  return Object.values(value)
    .map(commandIn)
    .find((one) => one !== undefined);
}

const mcp = readme("packages/mcp/README.md");
const lines = [...mcp.matchAll(/^\w+ mcp add crew (?:-- )?(troupe .*?) +# (.*)$/gm)].map(
  ([, words = "", name = ""]) => [name, words.split(" ")] as const,
);
const files = [...mcp.matchAll(/^\| ([\w ]+) \| `[^`]+` \| `(\{.*\})` \|$/gm)].map(
  ([, name = "", json = ""]) => [name, commandIn(JSON.parse(json)) ?? []] as const,
);

test("the README has a line for eight clients", () => {
  expect([...lines, ...files].map(([name]) => name)).toEqual([
    "Claude Code",
    "Codex",
    "Gemini CLI",
    "Qwen Code",
    "Cursor",
    "VS Code",
    "opencode",
    "Zed",
  ]);
});

test("what all of them are told to start is a server with the tools of a member", async () => {
  const [[, words] = ["", []]] = lines;
  for (const [name, own] of [...lines, ...files]) expect(own, name).toEqual(words);
  const [program, ...args] = words;
  expect(program).toBe("troupe");
  told("team", "create", "parser-team");
  onTestFinished(() => void told("team", "delete", "parser-team", "--yes"));
  const mine = new Client({ name: "test", version: "1.0.0" });
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  await mine.connect(
    new StdioClientTransport({ command: process.execPath, args: [main, ...args], env, stderr: "ignore" }),
  );
  const { tools } = await mine.listTools();
  await mine.close();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["send_message", "read_mail", "claim_task"]));
});

const editors = [...readme("apps/cli/README.md").matchAll(/^\{ "agent_servers": .*\}$/gm)].map(([json]) =>
  JSON.parse(json),
);

test("what Zed and a JetBrains IDE are told to start is an agent that speaks ACP", async () => {
  expect(editors.map(commandIn)).toEqual([
    ["troupe", "acp"],
    ["troupe", "acp"],
  ]);
  const child = spawn(process.execPath, [main, "acp"], { cwd: home, env: { HOME: home, PATH: process.env["PATH"] } });
  const over = once(child, "close");
  onTestFinished(async () => {
    child.kill();
    await over;
  });
  const { agent } = client({ name: "editor" }).connect(
    ndJsonStream(Writable.toWeb(child.stdin) as never, Readable.toWeb(child.stdout) as never),
  );
  const initialize = { protocolVersion: 1, clientCapabilities: {} };
  expect(await agent.request(methods.agent.initialize, initialize)).toMatchObject({ agentInfo: { name: "troupe" } });
});
