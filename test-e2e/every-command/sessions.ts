import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { elsewhere, id, runTrial, uses, withPast } from "./run.ts";
import { say } from "./steer.ts";
import type { Place, Trial } from "./trial.ts";

/** More sessions than are shown without being asked for. */
function withMany(place: Place): void {
  withPast(place);
  const folder = join(place.root, "projects", place.cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"));
  const text = readFileSync(join(folder, `${id}.jsonl`), "utf8");
  for (let nth = 10; nth < 31; nth++) {
    const other = id.replace("11", String(nth)).replace("5f0c", `5f${nth}`);
    writeFileSync(join(folder, `${other}.jsonl`), text.replaceAll(id, other));
  }
}

const asLead = [
  ...["--agent-color", "blue", "--parent-session-id", "s"],
  ...["--agent-type", "general-purpose", "--model", "haiku"],
] as const;
const letGo = "shutdown-1770977604066@reader";
const agrees = uses("SendMessage", {
  to: "team-lead",
  message: { type: "shutdown_response", request_id: letGo, approve: true },
});
const acp = elsewhere("acp");
const spoken = (...lines: readonly object[]) =>
  lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join("");
/** What a client says first, and two questions. */
const asked = [
  {
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 1, method: "tools/list" },
  { id: 2, method: "tools/call", params: { name: "list_tasks", arguments: {} } },
];

const mcpLead = elsewhere("mcp-lead");
/** A client that leads, and starts a teammate. */
const leading = {
  words: ["--team", "parser-team", "--lead"],
  input: spoken(...asked.slice(0, 2), {
    id: 2,
    method: "tools/call",
    params: { name: "spawn_member", arguments: { name: "ann", prompt: "Read it.", agent_type: "general-purpose" } },
  }),
};
/** The command line of the teammate of this record. */
const lineOf = (record: string) => readFileSync(`/proc/${JSON.parse(record).process.pid}/cmdline`, "utf8");

export const sessionTrials: Readonly<Record<string, Trial>> = {
  run: runTrial,
  teammate: {
    words: ["--agent-id", "reader@parser-team", "--agent-name", "reader", "--team-name", "parser-team", ...asLead],
    prepare: (place) =>
      say(place, "reader", "team-lead", { type: "shutdown_request", requestId: letGo, from: "team-lead" }),
    model: agrees,
    wrong: [
      [[], 2, "needs --agent-id and the flags that go with it"],
      [["--agent-id", "reader@parser-team"], 2, "is missing"],
      [["--agent-id", "reader@parser-team", ...asLead, "--frobnicate"], 2, "is missing"],
    ],
    options: {},
  },
  sessions: {
    prepare: withPast,
    wrong: [],
    options: { all: { prepare: withMany, given: ["--all"], shows: ({ document }) => document.sessions.length === 22 } },
  },
  cost: { words: ["parser-team"], wrong: [[["none"], 3, "there is no team none"]], options: {} },
  acp: {
    more: acp("an editor prompts a session"),
    wrong: [],
    options: {
      model: acp('"--model", "haiku"'),
      agent: acp('"--agent", "bard"'),
      agents: acp('"--agents", bard'),
      settings: acp('"--settings", rules'),
      revision: acp('"--revision", "2026-11"'),
      backend: acp('"--backend", "process"'),
    },
  },
  demo: {
    more: { elsewhere: "demo.test.ts", runs: ['begin(["demo", "--json"]', "expectPromises(played)"] },
    wrong: [],
    options: { keep: { elsewhere: "demo.test.ts", runs: ['begin(["demo", "--keep"]'] } },
  },
  mcp: {
    words: ["--team", "parser-team"],
    input: spoken(...asked),
    until: '"id":2',
    hasOwnForm: true,
    wrong: [
      [[], 2, "mcp needs --team NAME"],
      [["--team", "none"], 3, "there is no team none"],
      [["--team", "parser-team", "--as", "bob", "--observe"], 2, "leave out one of --as and --observe"],
    ],
    options: {
      team: {
        words: [],
        given: ["--team", "parser-team"],
        says: ({ stdout }) => stdout.includes("Fuzz the parser"),
        wrong: [[["--team", "a/b"], 2, "a/b"]],
      },
      as: {
        given: ["--as", "bob"],
        says: ({ stdout }) => stdout.includes("create_task"),
        wrong: [[["--team", "parser-team", "--as", "../x"], 2, "../x"]],
      },
      "without-mail": {
        words: ["--team", "parser-team", "--as", "reader"],
        given: ["--without-mail"],
        says: ({ stdout }) => !stdout.includes("read_mail"),
        wrong: [[["--team", "parser-team", "--without-mail"], 2, "--without-mail is for a member: add --as NAME"]],
      },
      observe: {
        words: ["--team", "parser-team", "--as", "bob"],
        given: ["--observe"],
        status: 2,
        says: ({ stderr }) => stderr.includes("leave out one of --as and --observe"),
      },
      lead: {
        given: ["--lead"],
        says: ({ stdout }) => stdout.includes("spawn_member"),
        wrong: [[["--team", "parser-team", "--lead", "--as", "bob"], 2, "leave out one of --as and --lead"]],
      },
      backend: mcpLead('"--backend", "process", "--backend", "acp-gemini"', '"--backend", "screen"'),
      cwd: mcpLead('"--cwd", home'),
      most: mcpLead('"--most", "1"', '"--most", "many"'),
      "permission-mode": {
        ...leading,
        given: ["--permission-mode", "acceptEdits"],
        says: ({ file }) => lineOf(file("troupe/backends")).includes("acceptEdits"),
      },
      "plan-mode-required": {
        ...leading,
        given: ["--plan-mode-required"],
        says: ({ file }) => file("teams/parser-team/config.json").includes('"planModeRequired": true'),
      },
      http: { elsewhere: "mcp.test.ts", runs: ['"--http", "0"', '"--http", "x"'] },
    },
  },
  "mcp login": {
    more: {
      elsewhere: "command-line-mcp-login.test.ts",
      runs: ['["mcp", "login", "tracker", "--no-browser", "--json"]'],
    },
    wrong: [[["nobody"], 3, "there is no MCP server nobody"]],
    options: { "no-browser": { elsewhere: "command-line-mcp-login.test.ts", runs: ['"--no-browser"'] } },
  },
  "mcp logout": {
    more: { elsewhere: "command-line-mcp-login.test.ts", runs: ['json("mcp-logout", ["mcp", "logout", "tracker"])'] },
    wrong: [[["nobody"], 3, "there is no MCP server nobody"]],
    options: {},
  },
};
