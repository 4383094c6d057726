import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { ToolOutcome } from "../src/loop/tool.ts";
import { type Mcp, type McpDeps, openMcp } from "../src/mcp/mcp.ts";
import { callBy } from "./calls.ts";
import { never } from "./hooked.ts";
import { scratch } from "./scratch.ts";

/** The config of a server as a child process; the manner says how it begins. */
export const server = (manner = "good", env: Readonly<Record<string, string>> = {}) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("mcp-server.mjs", import.meta.url)), manner],
  env,
});

/** Servers in a directory of their own, which end with the test. */
export function served(servers: McpDeps["servers"], deps: Partial<McpDeps> = {}): Mcp & { cwd: string } {
  const cwd = scratch();
  const mcp = openMcp({ servers, environment: { PATH: "/usr/bin:/bin" }, cwd, ...deps });
  onTestFinished(() => mcp.close());
  return { ...mcp, cwd };
}

/** Calls a tool as the loop does. */
export async function use(mcp: Mcp, name: string, input: unknown = {}, signal = never): Promise<ToolOutcome> {
  const tool = mcp.tools().find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`there is no ${name} among ${mcp.tools().map(({ definition }) => definition.name)}`);
  return tool.run(input, callBy(undefined, { signal }));
}

export const said = ({ content }: ToolOutcome): string => content.map(({ text }) => text).join("\n");

/** The processes that were started, in their order. */
export const starts = (directory: string): readonly number[] =>
  readFileSync(join(directory, "starts"), "utf8").trim().split("\n").map(Number);
