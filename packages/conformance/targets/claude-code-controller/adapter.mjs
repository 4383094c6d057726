// The npm package claude-code-controller as a target, by what it exports and nothing else: node
// adapter.mjs <directory it is installed in>
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const [installed = "."] = process.argv.slice(2);
const require = createRequire(resolve(installed, "package.json"));

/**
 * The package looks for its files in `.claude` of the home it is started with, and nowhere else.
 * @param {string} root
 */
function placeAt(root) {
  const place = join(process.env["HOME"] ?? "", ".claude");
  rmSync(place, { force: true });
  symlinkSync(root, place);
}
placeAt(process.env["AGENT_TEAMS_HOME"] ?? "");

const { TaskManager, TeamManager, readInbox, readUnread, silentLogger, writeInbox } = require("claude-code-controller");
const manifest = join(resolve(installed), "node_modules/claude-code-controller/package.json");
const { version } = JSON.parse(readFileSync(manifest, "utf8"));

/** @type {Map<string, Promise<any>>} */
const opened = new Map();
const teamOf = (/** @type {string} */ name) => new TeamManager(name, silentLogger);

/**
 * One for each team and process, as its controller has it: it counts ids on from those it found
 * when it was opened.
 * @param {string} team
 */
function tasksOf(team) {
  const found = opened.get(team) ?? open(team);
  opened.set(team, found);
  return found;
}

/** @param {string} team */
async function open(team) {
  const tasks = new TaskManager(team, silentLogger);
  await tasks.init();
  return tasks;
}

/** @type {Readonly<Record<string, (params: any) => unknown>>} */
const methods = {
  hello: () => ({
    name: "claude-code-controller",
    version,
    language: "TypeScript",
    homepage: "https://github.com/The-Vibe-Company/claude-code-controller",
    issues: "https://github.com/The-Vibe-Company/claude-code-controller/issues",
    protocol: 1,
    revisions: ["2026-02"],
    levels: [],
    methods: Object.keys(methods).filter((name) => name.includes(".")),
    quirks: { lockStyle: "mkdir", lockPath: "<file>.lock", staleMs: 10_000, waitMs: 2_000 },
  }),
  reset: ({ root }) => {
    opened.clear();
    placeAt(root);
    return {};
  },
  bye: () => ({}),

  "team.create": async ({ team, description, cwd }) => {
    const { name } = await teamOf(team).create({ description, cwd });
    return { team: name };
  },
  "team.get": async ({ team }) => ({ config: await teamOf(team).getConfig() }),
  "team.delete": async ({ team }) => {
    await teamOf(team).destroy();
    return {};
  },
  "member.add": async ({ team, name, agentType, model, cwd }) => {
    const place = { joinedAt: Date.now(), tmuxPaneId: "", cwd, subscriptions: [] };
    const member = { agentId: `${name}@${team}`, name, agentType, model, ...place };
    await teamOf(team).addMember(member);
    return { member };
  },
  "member.remove": async ({ team, name }) => {
    await teamOf(team).removeMember(name);
    return {};
  },

  "task.create": async ({ team, subject, description, activeForm, metadata }) => ({
    id: await (await tasksOf(team)).create({ subject, description, activeForm, metadata }),
  }),
  "task.get": async ({ team, id }) => ({ task: await (await tasksOf(team)).get(id) }),
  "task.list": async ({ team }) => ({ tasks: await (await tasksOf(team)).list() }),
  "task.update": async ({ team, id, addBlocks = [], addBlockedBy = [], owner, by: _, ...change }) => {
    const tasks = await tasksOf(team);
    if (change.status === "deleted") {
      await tasks.delete(id);
      return {};
    }
    const given = owner === undefined ? change : { ...change, owner: owner ?? undefined };
    const task = await tasks.update(id, given);
    if (addBlocks.length > 0) await tasks.addBlocks(id, addBlocks);
    for (const blocker of addBlockedBy) await tasks.addBlocks(blocker, [id]);
    return { task };
  },

  "inbox.append": async ({ team, agent, from, text, summary }) => {
    await writeInbox(team, agent, { from, text, timestamp: new Date().toISOString(), summary }, silentLogger);
    return {};
  },
  "inbox.read": async ({ team, agent }) => {
    const messages = await readInbox(team, agent);
    return { messages: messages.filter((/** @type {{ read?: unknown }} */ message) => !message.read) };
  },
  "inbox.markRead": async ({ team, agent }) => {
    await readUnread(team, agent);
    return {};
  },
};

/** The package throws errors of Node, and its own, which differ only in their messages. */
function codeOf(/** @type {any} */ error) {
  if (error instanceof SyntaxError) return 1004;
  if (error.code === "ELOCKED") return 1005;
  if (error.code === "ENOENT" || /does not exist|not found/.test(error.message)) return 1001;
  return -32603;
}

/**
 * @param {string} name
 * @param {unknown} params
 */
async function answerTo(name, params) {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!method) return { error: { code: -32601, message: "it has no such operation" } };
  try {
    return { result: await method(params) };
  } catch (error) {
    return { error: { code: codeOf(error), message: String(error) } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...(await answerTo(method, params)) })}\n`);
  if (method === "bye") break;
}
process.stdin.destroy();
