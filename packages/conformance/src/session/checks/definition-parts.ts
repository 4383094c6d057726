import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../alive.ts";
import { assertMatches, assertThat } from "../assert.ts";
import type { ToolResult } from "../conversation.ts";
import { definition } from "../definition.ts";
import { type LeadStage, leadCheck } from "../lead-stage.ts";
import { mcpServer } from "../mcp-server.ts";

const prompt = "agent:sub. Count the rules.";
const background = { run_in_background: true };

async function started({ lead, dialect, puppet }: LeadStage, type: string) {
  await lead.does((await dialect()).delegate({ prompt, type, more: background }));
  const sub = puppet("sub");
  await sub.asked();
  return sub;
}

const memory = Array.from({ length: 210 }, (_, at) => `- fact ${at + 1}.`).join("\n");

/** A hook of an agent that writes what it is told, a line each time, and then does this. */
const hook = (event: string, file: string, then = "exit 0") =>
  `hooks:\n  ${event}:\n    - hooks:\n        - type: command\n          command: "cat >> ${file}; echo >> ${file}; ${then}"`;

const server = { command: process.execPath, args: ["server.mjs"] };

/** The number of the process that answered a call of `who`. */
function processIn(result: ToolResult | undefined): number {
  const [, pid] = /process (\d+)/.exec(result?.text ?? "") ?? [];
  assertThat(pid !== undefined, "the server did not answer", result);
  return Number(pid);
}

/** What hooks were told, in their order. */
const toldIn = (cwd: string, file: string): readonly Readonly<Record<string, unknown>>[] =>
  existsSync(join(cwd, file))
    ? readFileSync(join(cwd, file), "utf8")
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => JSON.parse(line))
    : [];

/** What agents remember, and what runs beside them. */
export const definitionPartChecks = [
  ...[
    ["a", "user", "rootFiles", "agent-memory/keeper/MEMORY.md"],
    ["b", "project", "projectFiles", ".claude/agent-memory/keeper/MEMORY.md"],
    ["c", "local", "projectFiles", ".claude/agent-memory-local/keeper/MEMORY.md"],
  ].map(([letter, scope, files, path]) => {
    const keeper = definition("keeper", `memory: ${scope}`);
    return leadCheck({
      id: `DEF-MEMORY/${letter}`,
      level: "L5",
      title: `an agent with memory ${scope} is told what stands in it`,
      requirements: ["ATP-DEF-009"],
      with: {
        rootFiles: files === "rootFiles" ? { ...keeper, [path as string]: memory } : keeper,
        ...(files === "projectFiles" && { projectFiles: { [path as string]: memory } }),
      },
      async run(stage) {
        const { body } = await (await started(stage, "keeper")).asked();
        assertThat(body.includes("fact 1."), "its memory is not told");
      },
    });
  }),
  leadCheck({
    id: "DEF-MEMORY/d",
    level: "L5",
    title: "of a memory the first 200 lines are told",
    requirements: ["ATP-DEF-010"],
    with: { rootFiles: { ...definition("keeper", "memory: user"), "agent-memory/keeper/MEMORY.md": memory } },
    async run(stage) {
      const { body } = await (await started(stage, "keeper")).asked();
      const found = ["fact 200.", "fact 201."].map((words) => body.includes(words));
      assertMatches("lines 200 and 201", found, [true, false]);
    },
  }),
  leadCheck({
    id: "DEF-HOOK/a",
    level: "L5",
    title: "hooks of an agent run at its calls",
    requirements: ["ATP-DEF-011"],
    revisions: ["2026-02"],
    with: { rootFiles: definition("hooked", hook("PreToolUse", "told.txt")) },
    async run(stage) {
      const sub = await started(stage, "hooked");
      await sub.does(["Read", { file_path: join(stage.cwd, "notes.txt") }]);
      assertMatches("what the hook was told", toldIn(stage.cwd, "told.txt"), [
        { hook_event_name: "PreToolUse", tool_name: "Read" },
      ]);
    },
  }),
  leadCheck({
    id: "DEF-HOOK/b",
    level: "L5",
    title: "a hook of another event does not run, and is no reason to refuse the agent",
    requirements: ["ATP-DEF-011"],
    revisions: ["2026-02"],
    with: { rootFiles: definition("hooked", hook("PostToolUseFailure", "told.txt")) },
    async run(stage) {
      const sub = await started(stage, "hooked");
      await sub.does(["Read", { file_path: join(stage.cwd, "no-such-file.txt") }]);
      assertMatches("what the hook was told", toldIn(stage.cwd, "told.txt").length, 0);
    },
  }),
  leadCheck({
    id: "DEF-HOOK/c",
    level: "L5",
    title: "a hook of any event of the client runs",
    requirements: ["ATP-DEF-102"],
    revisions: ["2026-11"],
    with: { rootFiles: definition("hooked", hook("PostToolUseFailure", "told.txt")) },
    async run(stage) {
      const sub = await started(stage, "hooked");
      await sub.does(["Read", { file_path: join(stage.cwd, "no-such-file.txt") }]);
      assertMatches("what the hook was told", toldIn(stage.cwd, "told.txt"), [
        { hook_event_name: "PostToolUseFailure", tool_name: "Read" },
      ]);
    },
  }),
  leadCheck({
    id: "DEF-SERVERS/a",
    level: "L5",
    title: "an MCP server that an agent defines ends with it, and one that it names stays open for others",
    requirements: ["ATP-SUB-014"],
    with: {
      mode: "bypassPermissions",
      flags: ["--mcp-config", JSON.stringify({ mcpServers: { named: server } })],
      projectFiles: { "server.mjs": mcpServer },
      rootFiles: definition("caller", `mcpServers: ${JSON.stringify(["named", { inline: server }])}`),
    },
    async run(stage) {
      const { lead, until, hears } = stage;
      const sub = await started(stage, "caller");
      const [inline, named] = await sub.does(["mcp__inline__who", {}], ["mcp__named__who", {}]);
      const [own, common] = [processIn(inline), processIn(named)];
      await sub.says("There are two.");
      await until("the end of the server that it defines", () => !isAlive(own));
      await hears("There are two.");
      const [again] = await lead.does(["mcp__named__who", {}]);
      assertMatches("the process of the server that it names", processIn(again), common);
    },
  }),
  leadCheck({
    id: "DEF-STOP/a",
    level: "L5",
    title: "the hook Stop of an agent is told SubagentStop at its end",
    requirements: ["ATP-DEF-012"],
    with: { rootFiles: definition("hooked", hook("Stop", "told.txt")) },
    async run(stage) {
      const sub = await started(stage, "hooked");
      await sub.says("There are 214 rules.");
      const [told] = await stage.until("the hook", () => {
        const all = toldIn(stage.cwd, "told.txt");
        return all.length > 0 && all;
      });
      assertMatches("what it was told", told, { hook_event_name: "SubagentStop" });
    },
  }),
  leadCheck({
    id: "DEF-STOP/b",
    level: "L5",
    title: "an agent whose end was refused tells its hook so at the second try",
    requirements: ["ATP-DEF-013"],
    with: {
      rootFiles: definition(
        "hooked",
        hook("Stop", "told.txt", "echo Count again. >&2; test -e once || { touch once; exit 2; }"),
      ),
    },
    async run(stage) {
      const sub = await started(stage, "hooked");
      await sub.says("There are 214 rules.");
      await stage.until("another question to its model", () => sub.isAsked());
      await sub.says("There are 215 rules.");
      await stage.until("the second hook", () => toldIn(stage.cwd, "told.txt").length > 1);
      const told = toldIn(stage.cwd, "told.txt").map(({ stop_hook_active }) => stop_hook_active);
      assertMatches("stop_hook_active", told, [false, true]);
    },
  }),
];
