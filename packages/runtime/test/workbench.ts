import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createSeenFiles } from "../src/agent/seen-files.ts";
import { createShells, type ShellsDeps } from "../src/agent/shells.ts";
import { createJobs } from "../src/jobs/jobs.ts";
import { type CommandDraft, createQueue } from "../src/queue.ts";
import { builtInTools, type Hands, type ToolsDeps } from "../src/tools/index.ts";
import { callBy } from "./calls.ts";
import { scratch } from "./scratch.ts";

/** The built-in tools in a directory of their own, and what they told the queue. */
export function workbench(
  over: Partial<ToolsDeps<Hands> & Pick<Hands, "cwd" | "seen" | "permissions"> & Pick<ShellsDeps, "stallMs">> = {},
) {
  const cwd = over.cwd ?? scratch();
  const told: CommandDraft[] = [];
  const waiting: (() => void)[] = [];
  const notify = (draft: CommandDraft) => {
    told.push(draft);
    for (const wake of waiting.splice(0)) wake();
  };
  const stall = over.stallMs === undefined ? {} : { stallMs: over.stallMs };
  const shells = createShells({ newId: randomUUID, notify, agent: "a1", revision: "2026-11", ...stall });
  onTestFinished(() => shells.close());
  const agent: Hands = {
    cwd,
    seen: over.seen ?? createSeenFiles(),
    shells,
    permissions: over.permissions ?? { judge: () => ({ behavior: "allow", reason: "" }) },
    session: { jobs: createJobs({ queue: createQueue({ newId: randomUUID }), revision: "2026-11", show: () => {} }) },
  };
  const deps: ToolsDeps<Hands> = {
    home: cwd,
    environment: { PATH: String(process.env["PATH"]), HOME: cwd, MARK: "set" },
    outputs: join(cwd, "outputs"),
    newId: randomUUID,
    fetch,
    revision: "2026-02",
    skills: [],
    ask: async () => undefined,
    ...over,
  };
  const tools = builtInTools(deps);
  const toolCalled = (name: string) => {
    const found = tools.find(({ definition }) => definition.name === name);
    if (!found) throw new Error(`no tool ${name}`);
    return found;
  };
  return {
    cwd,
    agent,
    deps,
    shells,
    told,
    tools,
    toolCalled,
    /** Resolves when the queue is told once more. */
    nextTold: () => new Promise<void>((done) => waiting.push(done)),
    call: async (name: string, input: object, signal: AbortSignal = new AbortController().signal) => {
      const { content, isError = false } = await toolCalled(name).run(input, callBy(agent, { signal }));
      const text = content.map((block) => (typeof block["text"] === "string" ? block["text"] : "")).join("");
      return { content, isError, text };
    },
  };
}

/** The processes whose environment or arguments hold a word, without the dead. */
export function processesWith(word: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isDead = /\) [ZX] /.test(readFileSync(`/proc/${name}/stat`, "utf8"));
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8") + readFileSync(`/proc/${name}/environ`, "utf8");
      return !isDead && words.includes(word) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
