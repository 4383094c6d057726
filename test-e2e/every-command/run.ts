import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { usedIn } from "../led-team.ts";
import { withDefinitions, withRepository } from "./rest.ts";
import type { Elsewhere, Place, Refused, Seen, Trial } from "./trial.ts";

export const id = "5f0c8f5e-2f0a-4a54-9d0e-0f6f6c6a1d11";
const task = ["--print", "Go on."] as const;
const typed = `${JSON.stringify({ type: "user", message: { role: "user", content: "Typed." } })}\n`;
const server = join(import.meta.dirname, "../../packages/runtime/test/mcp-server.mjs");
const memo = JSON.stringify({ mcpServers: { memo: { command: process.execPath, args: [server] } } });
const bard = '{"bard":{"description":"sings","prompt":"You sing."}}';

/** An option that is refused with these values, each for its reason. */
const refused = (option: string, ...values: readonly (readonly [value: string, says: string])[]): readonly Refused[] =>
  values.map(([value, says]) => [[...task, option, value], 2, says]);
const wrongRules = (option: string) =>
  refused(option, ["Bash(rm", `${option}: "Bash(rm" has a "(" that is never closed`], [",", `${option} needs a rule`]);
/** A model that calls one tool, and ends. */
export const uses = (name: string, input: object) => (request: MessagesRequest) =>
  usedIn(request).length > 0 ? "Done." : [toolUse(name, input)];
const reads = uses("Read", { file_path: "/none" });
const hasMade = ({ file }: Seen) => file("made").includes("yes");
const makes = uses("Bash", { command: "mkdir -p made; echo yes > made/it" });

/** A transcript of an earlier session of the folder. */
export function withPast({ root, cwd }: Place): void {
  const folder = join(root, "projects", cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  const line = {
    type: "user",
    sessionId: id,
    cwd,
    uuid: "0f0c8f5e-2f0a-4a54-9d0e-0f6f6c6a1d12",
    parentUuid: null,
    timestamp: "2026-02-13T10:43:07.887Z",
    message: { role: "user", content: "My name is Ann." },
  };
  writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(line)}\n`);
}
export const elsewhere =
  (file: string) =>
  (...runs: readonly string[]): Elsewhere => ({ elsewhere: `${file}.test.ts`, runs });
const flags = elsewhere("command-line-session-flags");
const inPlace = (request: MessagesRequest) => {
  const [, cwd] = /Working directory: ([^\n]+)/.exec(request.system.map(({ text }) => text).join("\n")) ?? [];
  return uses("Write", { file_path: `${cwd}/made`, content: "yes" })(request);
};

const runOptions: Trial["options"] = {
  model: { given: ["--model", "haiku"], shows: ({ asked }) => asked.includes('"model":"claude-haiku') },
  agent: {
    prepare: withDefinitions,
    given: ["--agent", "poet"],
    shows: ({ asked }) => asked.includes("You rhyme."),
    wrong: refused("--agent", ["nobody", 'no agent of the type "nobody"; there are']),
  },
  agents: {
    words: [...task, "--agent", "bard"],
    given: ["--agents", bard],
    shows: ({ asked }) => asked.includes("You sing."),
    wrong: refused(
      "--agents",
      ["{}x", "--agents is no JSON"],
      ["none.json", "--agents none.json cannot be read"],
      ['["x"]', "--agents holds no object"],
      ["{cwd}", "cannot be read"],
      ['{"a":{}}', "description"],
    ),
  },
  "plugin-dir": {
    prepare: ({ home }) => {
      mkdirSync(join(home, "verses/agents"), { recursive: true });
      const text = "---\nname: elegist\ndescription: mourns\n---\nYou mourn.\n";
      writeFileSync(join(home, "verses/agents/elegist.md"), text);
    },
    words: [...task, "--agent", "verses:elegist"],
    given: ["--plugin-dir", "{home}/verses"],
    shows: ({ asked }) => asked.includes("You mourn."),
    wrong: refused("--plugin-dir", ["none", "--plugin-dir none is no directory"]),
  },
  "append-system-prompt": {
    given: ["--append-system-prompt", "Softly."],
    shows: ({ asked }) => asked.includes("Softly."),
  },
  "permission-mode": {
    model: inPlace,
    given: ["--permission-mode", "acceptEdits"],
    shows: hasMade,
    wrong: refused(
      "--permission-mode",
      ["yolo", "--permission-mode takes default"],
      ["bypassPermissions", "use --dangerously-skip-permissions"],
    ),
  },
  "dangerously-skip-permissions": { model: makes, given: ["--dangerously-skip-permissions"], shows: hasMade },
  "allowed-tools": {
    model: makes,
    given: ["--allowed-tools", "Bash"],
    shows: hasMade,
    wrong: wrongRules("--allowed-tools"),
  },
  "disallowed-tools": {
    model: makes,
    words: [...task, "--allowed-tools", "Bash"],
    given: ["--disallowed-tools", "Bash"],
    shows: (seen) => !hasMade(seen),
    wrong: wrongRules("--disallowed-tools"),
  },
  "add-dir": {
    model: uses("Bash", { command: "mkdir -p ../made; echo yes > ../made/it" }),
    words: [...task, "--permission-mode", "acceptEdits"],
    given: ["--add-dir", "{home}"],
    shows: ({ file }) => file("../made").includes("yes"),
    wrong: refused("--add-dir", ["none", "--add-dir none is no directory"]),
  },
  settings: {
    model: makes,
    given: ["--settings", '{"permissions":{"allow":["Bash"]}}'],
    shows: hasMade,
    wrong: refused(
      "--settings",
      ["none.json", "--settings none.json cannot be read"],
      ["{x", "--settings is no JSON"],
      ["[]", "--settings holds no object"],
      ['{"permissions":{"deny":"Bash"}}', "--settings: permissions.deny is no list of texts"],
      [
        '{"permissions":{"deny":["Bash(rm"]}}',
        '--settings: permissions.deny: "Bash(rm" has a "(" that is never closed',
      ],
    ),
  },
  "mcp-config": {
    given: ["--mcp-config", memo],
    shows: ({ asked }) => asked.includes("mcp__memo__"),
    wrong: refused(
      "--mcp-config",
      ["none.json", "--mcp-config none.json cannot be read"],
      ["{", "--mcp-config is no JSON"],
      ["{}", '--mcp-config has no object "mcpServers"'],
      ['{"mcpServers":{"x":5}}', "--mcp-config: mcpServers.x holds no object"],
    ),
  },
  resume: {
    prepare: withPast,
    given: ["--resume", id],
    shows: ({ asked }) => asked.includes("My name is Ann."),
    wrong: refused("--resume", ["abc", 'there is no session "abc" of this folder'], ["", "--resume needs the id"]),
  },
  continue: { prepare: withPast, given: ["--continue"], shows: ({ asked }) => asked.includes("My name is Ann.") },
  "session-id": {
    given: ["--session-id", id],
    shows: ({ document }) => document.sessionId === id,
    wrong: refused("--session-id", ["abc", '--session-id takes a UUID, not "abc"']),
  },
  worktree: {
    prepare: withRepository,
    given: ["--worktree", "side"],
    shows: ({ asked }) => asked.includes("worktrees/side"),
    wrong: refused("--worktree", ["../up", "../up"]),
  },
  revision: { given: ["--revision", "2026-11"], shows: ({ asked }) => !asked.includes("TeamCreate") },
  team: {
    given: ["--team", "crew"],
    shows: ({ file }) => file("troupe").includes("crew"),
    wrong: refused("--team", ["../up", "../up"]),
  },
  backend: flags('"--backend", "process"', '"--backend", "moon"'),
  "plan-approval": {
    model: uses("SendMessage", {
      to: "ann",
      message: { type: "plan_approval_response", request_id: "r", approve: true },
    }),
    words: [...task, "--team", "crew"],
    given: ["--plan-approval", "user"],
    shows: ({ asked }) => asked.includes("plans are approved by the person here"),
  },
  "plan-mode-required": flags('"--plan-mode-required"', "planModeRequired: true"),
  // Where nobody sits at a terminal there is one task in any case.
  print: elsewhere("command-line-run")('["-p", "x"]'),
  "max-turns": {
    model: reads,
    given: ["--max-turns", "1"],
    status: 1,
    shows: ({ document }) => document.why === "max_turns",
    wrong: refused("--max-turns", ["many", "a whole number above 0"], ["0", "above 0"], ["1.5", "a whole number"]),
  },
  "max-budget-usd": {
    model: reads,
    words: [...task, "--model", "claude-sonnet-5-5"],
    given: ["--max-budget-usd", "0.000001"],
    status: 1,
    shows: ({ document }) => document.why === "budget",
    wrong: refused("--max-budget-usd", ["0", "a number above 0"], ["much", "a number above 0"]),
  },
  "output-format": {
    given: ["--output-format", "json"],
    says: ({ stdout }) => JSON.parse(stdout).subtype === "success",
    hasOwnForm: true,
  },
  "input-format": {
    words: ["--output-format", "stream-json"],
    input: typed,
    given: ["--input-format", "stream-json"],
    says: ({ asked }) => !asked.includes('{\\"type'),
    hasOwnForm: true,
  },
  verbose: { model: reads, given: ["--verbose"], says: ({ stderr }) => stderr.includes("note: Read") },
  "screen-reader": { elsewhere: "screen/look.test.ts", runs: ['args: ["--screen-reader"]'] },
};
/** `troupe run` and its options. */
export const runTrial: Trial = {
  words: task,
  wrong: [
    [["--print", " "], 2, "the task is empty"],
    [["--print"], 2, "the task is empty"],
    [[...task, "--continue", "--resume", id], 2, "name two sessions"],
    [[...task, "--continue"], 2, "there is no session in this folder to continue"],
  ],
  options: runOptions,
};
