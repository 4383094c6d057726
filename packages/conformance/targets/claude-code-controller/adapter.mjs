// The npm package claude-code-controller as a target, by what it exports and nothing else: node
// adapter.mjs <directory it is installed in>
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { answering } from "../answering.mjs";

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

const about = {
  name: "claude-code-controller",
  version,
  language: "TypeScript",
  homepage: "https://github.com/The-Vibe-Company/claude-code-controller",
  issues: "https://github.com/The-Vibe-Company/claude-code-controller/issues",
  revisions: ["2026-02"],
  quirks: { lockStyle: "mkdir", lockPath: "<file>.lock", staleMs: 10_000, waitMs: 2_000 },
};

/** @type {import("../answering.mjs").Methods} */
const methods = {
  reset: ({ root }) => {
    opened.clear();
    placeAt(root);
  },

  "team.create": async ({ team, description, cwd }) => {
    const { name } = await teamOf(team).create({ description, cwd });
    return { team: name };
  },
  "team.get": async ({ team }) => ({ config: await teamOf(team).getConfig() }),
  "team.delete": async ({ team }) => {
    await teamOf(team).destroy();
  },
  "member.add": async ({ team, name, agentType, model, cwd }) => {
    const place = { joinedAt: Date.now(), tmuxPaneId: "", cwd, subscriptions: [] };
    const member = { agentId: `${name}@${team}`, name, agentType, model, ...place };
    await teamOf(team).addMember(member);
    return { member };
  },
  "member.remove": async ({ team, name }) => {
    await teamOf(team).removeMember(name);
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
      return undefined;
    }
    const given = owner === undefined ? change : { ...change, owner: owner ?? undefined };
    const task = await tasks.update(id, given);
    if (addBlocks.length > 0) await tasks.addBlocks(id, addBlocks);
    for (const blocker of addBlockedBy) await tasks.addBlocks(blocker, [id]);
    return { task };
  },

  "inbox.append": async ({ team, agent, from, text, summary }) => {
    await writeInbox(team, agent, { from, text, timestamp: new Date().toISOString(), summary }, silentLogger);
  },
  "inbox.read": async ({ team, agent }) => {
    const messages = await readInbox(team, agent);
    return { messages: messages.filter((/** @type {{ read?: unknown }} */ message) => !message.read) };
  },
  "inbox.markRead": async ({ team, agent }) => {
    await readUnread(team, agent);
  },
};

/**
 * The package throws errors of Node, and its own, which differ only in their messages.
 * @param {any} error
 */
function nameOf(error) {
  if (error instanceof SyntaxError) return "invalid";
  if (error.code === "ELOCKED") return "locked";
  if (error.code === "ENOENT" || /does not exist|not found/.test(error.message)) return "notFound";
  return undefined;
}

await answering({ about, methods, nameOf });
