import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { toldTo, usedIn } from "./led-team.ts";
import { messagesIn, openProjects } from "./projects.ts";

const { home, root, projectWith } = openProjects();

const systemOf = ({ system }: MessagesRequest): string => system.map(({ text }) => text).join("\n");
const touch = (name: string) => toolUse("Bash", { command: `touch ${name}` });

test("--agent works as a definition says, also one of --agents; --append-system-prompt adds to the role", async () => {
  const { cwd, run, sent } = await projectWith({ rule: () => "Yes." });
  mkdirSync(join(cwd, ".claude/agents"), { recursive: true });
  const definition = "---\nname: reader\ndescription: reads\nmodel: haiku\ntools: Read\n---\nYou only read.\n";
  writeFileSync(join(cwd, ".claude/agents/reader.md"), definition);
  await run(["-p", "x", "--agent", "reader"]);
  expect(systemOf(sent(0))).toContain("You only read.");
  expect(sent(0).model).toContain("haiku");
  const agents = JSON.stringify({ poet: { description: "rhymes", prompt: "You rhyme." } });
  await run(["-p", "x", "--agent", "poet", "--agents", agents, "--append-system-prompt", "Speak softly."]);
  expect(systemOf(sent(1))).toMatch(/Speak softly\.[\s\S]*You rhyme\./);
  await run(["-p", "x"]);
  expect(systemOf(sent(2))).not.toMatch(/You only read|You rhyme|Speak softly/);
});

test("rules may be repeated, and are named as users of claude know them", async () => {
  const replies = [[touch("one"), toolUse("Bash", { command: "mkdir two" })], "Done."];
  const { cwd, run } = await projectWith({ replies: [...replies, ...replies] });
  const made = () => readdirSync(cwd).sort();
  await run([
    "-p",
    "x",
    "--allowedTools",
    "Bash(touch:*)",
    "--allowedTools",
    "Bash(mkdir:*)",
    "--disallowedTools",
    "Bash(touch:*)",
  ]);
  expect(made()).toEqual(["two"]);
  await run(["-p", "x", "--allowed-tools", "Bash(touch:*)"]);
  expect(made()).toEqual(["one", "two"]);
});

test("--add-dir lets it work in another directory, --settings are those of files, and --mcp-config brings tools", async () => {
  const other = mkdtempSync(join(home, "other-"));
  const write = [toolUse("Write", { file_path: join(other, "made.txt"), content: "x" })];
  const { cwd, run } = await projectWith({ replies: [write, "No.", write, "Done.", [touch("one")], "Done.", "Done."] });
  const edits = ["-p", "x", "--permission-mode", "acceptEdits"];
  await run(edits);
  expect(existsSync(join(other, "made.txt"))).toBe(false);
  await run([...edits, "--add-dir", other]);
  expect(existsSync(join(other, "made.txt"))).toBe(true);
  writeFileSync(join(cwd, "mine.json"), JSON.stringify({ permissions: { allow: ["Bash(touch:*)"] } }));
  await run(["-p", "x", "--settings", "mine.json"]);
  expect(existsSync(join(cwd, "one"))).toBe(true);
  const server = join(import.meta.dirname, "../packages/runtime/test/mcp-server.mjs");
  const mcpServers = { memo: { command: process.execPath, args: [server] } };
  const { stdout } = await run([
    ...["-p", "x", "--output-format", "stream-json"],
    ...["--mcp-config", JSON.stringify({ mcpServers })],
  ]);
  const [init] = messagesIn(stdout);
  expect(init).toMatchObject({ mcp_servers: [{ name: "memo", status: "connected" }] });
});

test("--session-id names the session, --continue goes on with the last of this folder", async () => {
  const { run, sent } = await projectWith({ rule: () => "Yes." });
  const id = "5f0c8f5e-2f0a-4a54-9d0e-0f6f6c6a1d11";
  const first = await run(["-p", "My name is Ann.", "--session-id", id, "--output-format", "json"]);
  expect(messagesIn(first.stdout)).toMatchObject([{ session_id: id }]);
  const again = await run(["-p", "Who am I?", "-c", "--output-format", "json"]);
  expect(messagesIn(again.stdout)).toMatchObject([{ session_id: id }]);
  expect(toldTo(sent(1))).toContain("My name is Ann.");
  expect(await run(["-p", "x", "--session-id", id])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`go on with it by --resume ${id}`),
  });
});

test("--worktree works in a worktree of that name, which stays with its changes", async () => {
  const write = (request: MessagesRequest) => {
    const [, place] = /Working directory: (.+)/.exec(systemOf(request)) ?? [];
    return usedIn(request).length > 0 ? "Done." : [toolUse("Write", { file_path: `${place}/made.txt`, content: "x" })];
  };
  const { cwd, run } = await projectWith({ rule: write });
  const git = (...args: string[]) => spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "begin");
  const place = join(cwd, ".claude/worktrees/side");
  const { status, stderr } = await run(["-p", "x", "--worktree", "side", "--permission-mode", "acceptEdits"]);
  expect([status, stderr]).toEqual([
    0,
    `note: the worktree ${place} has changes and stays, on the branch worktree-side\n`,
  ]);
  expect([join(place, "made.txt"), join(cwd, "made.txt")].map(existsSync)).toEqual([true, false]);
  const outside = await projectWith({});
  const refused = await outside.run(["-p", "x", "--worktree", "side"]);
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('run "git init" and commit')]);
  expect(outside.fake.requests).toHaveLength(0);
});

test("--team leads a team from the beginning, with --plan-mode-required of teammates that plan first", async () => {
  const members = (name: string) => JSON.parse(readFileSync(join(root, "teams", name, "config.json"), "utf8")).members;
  let seen: readonly Readonly<Record<string, unknown>>[] = [];
  const { run } = await projectWith({
    rule: (request) => {
      if (/You are ann in the team/.test(systemOf(request))) {
        seen = members("crew");
        return "I plan.";
      }
      const ann = { name: "ann", description: "d", prompt: "p", subagent_type: "general-purpose" };
      return usedIn(request).length > 0 ? "Done." : [toolUse("Agent", ann)];
    },
  });
  const args = ["-p", "x", "--team", "crew", "--plan-mode-required", "--output-format", "json"];
  const { status, stdout, stderr } = await run(args);
  expect([status, stderr]).toEqual([0, ""]);
  expect(seen).toMatchObject([{ name: "team-lead" }, { name: "ann", planModeRequired: true }]);
  const [result] = messagesIn(stdout);
  const { status: refused, stderr: why } = await run(["-p", "x", "--team", "crew"]);
  expect([refused, why]).toEqual([2, expect.stringContaining(`go on with it by --resume ${result?.["session_id"]}`)]);
});

test.each<[string, readonly string[], RegExp]>([
  ["an unknown format", ["--output-format", "xml"], /--output-format takes text or json or stream-json, not "xml"/],
  ["two forms", ["--json", "--output-format", "json"], /two forms of the answer: choose one/],
  ["messages without a stream", ["--input-format", "stream-json"], /needs --output-format stream-json/],
  [
    "a prompt beside messages",
    ["--input-format", "stream-json", "--output-format", "stream-json"],
    /leave out the prompt/,
  ],
  ["no budget", ["--max-budget-usd", "0"], /--max-budget-usd takes a number above 0, not "0"/],
  ["a budget for others", ["--max-budget-usd", "1", "--backend", "process"], /choose --backend in-process/],
  ["an unknown place", ["--backend", "moon"], /"moon" is no display mode/],
  ["an unknown agent", ["--agent", "nobody"], /no agent of the type "nobody"; there are .*Explore/],
  ["agents that are none", ["--agents", "{}x"], /--agents is no JSON/],
  ["an agent without a description", ["--agents", '{"a":{}}'], /^troupe: --agents: .*description/],
  ["settings that are not there", ["--settings", "none.json"], /--settings none\.json cannot be read/],
  ["settings that are a list", ["--settings", "list.json"], /--settings list\.json holds no object/],
  ["servers without their key", ["--mcp-config", "{}"], /--mcp-config has no object "mcpServers"/],
  ["a directory that is none", ["--add-dir", "list.json"], /--add-dir list\.json is no directory/],
  ["an unknown session", ["--resume", "abc"], /there is no session "abc" of this folder/],
  ["no last session", ["--continue"], /there is no session in this folder to continue/],
  ["no id", ["--session-id", "abc"], /--session-id takes a UUID, not "abc"/],
  ["two sessions", ["--continue", "--resume", "abc"], /--resume and --continue name two sessions/],
  [
    "a team beside its own",
    ["--team", "crew", "--revision", "2026-11"],
    /a session of 2026-11 leads a team of its own/,
  ],
])("with %s nothing is asked, and it is said what to do", async (_, args, words) => {
  const { cwd, fake, run } = await projectWith({});
  writeFileSync(join(cwd, "list.json"), "[]");
  const { status, stdout, stderr } = await run(["-p", "x", ...args]);
  const told = stderr.startsWith("{") ? JSON.parse(stderr).error.message : stderr;
  expect([status, stdout, told]).toEqual([2, "", expect.stringMatching(words)]);
  expect(fake.requests).toHaveLength(0);
});
