// The npm package @qwen-code/qwen-code as a target, by the functions and tools that its teams use:
// node adapter.mjs <directory it is installed in>
import { readdirSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { answering, refusal } from "../answering.mjs";

const [installed = "."] = process.argv.slice(2);
const home = join(resolve(installed), "node_modules/@qwen-code/qwen-code");
const chunks = join(home, "chunks");

/**
 * The part of the bundle that exports these names: names of files change with every version.
 * @param {readonly string[]} names
 */
async function partWith(...names) {
  const found = small.find(({ text }) => names.every((name) => new RegExp(`^ {2}${name},?$`, "m").test(text)));
  if (!found) throw new Error(`no part of the bundle exports ${names.join(", ")}`);
  return import(pathToFileURL(join(chunks, found.file)).href);
}
const small = readdirSync(chunks)
  .filter((file) => file.endsWith(".js") && statSync(join(chunks, file)).size < 65_536)
  .map((file) => {
    const text = readFileSync(join(chunks, file), "utf8");
    return { file, text: text.slice(text.lastIndexOf("\nexport {")) };
  });

const teams = await partWith("createTeamFile", "writeTeamFile", "deleteTeamDirs", "generateUniqueTeammateName");
const tasks = await partWith("createTask", "updateTask", "claimTask", "resetTaskList");
const mail = await partWith("writeMessage", "consumeUnread", "clearAllInboxes");
const { TaskUpdateTool } = await partWith("TaskUpdateTool");
const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));

process.env["QWEN_HOME"] = process.env["AGENT_TEAMS_HOME"];

/**
 * Its lead keeps the members in memory, and reads no config again.
 * @param {string} team
 */
const configOf = async (team) => JSON.parse(await readFile(join(teams.getTeamDir(team), "config.json"), "utf8"));

/**
 * The tool as the lead of this team has it: outside a session it needs to know the team and nothing
 * else.
 * @param {string} team
 * @param {object} params
 */
async function update(team, params) {
  const config = { getTeamContext: () => ({ teamName: team }), getTeamManager: () => null };
  const { error, llmContent } = await new TaskUpdateTool(config).build(params).execute();
  if (!error) return;
  if (/not found\.$/.test(error.message)) throw refusal("notFound", error.message);
  throw refusal(/while it is blocked/.test(error.message) ? "blocked" : "invalid", String(llmContent));
}

/** @type {import("../answering.mjs").Methods} */
const methods = {
  reset: ({ root }) => {
    process.env["QWEN_HOME"] = root;
  },

  // As its tool TeamCreate does.
  "team.create": async ({ team, description, sessionId }) => {
    const name = teams.sanitizeName(team);
    const lead = { leadAgentId: teams.formatAgentId(teams.LEADER_NAME, name), leadSessionId: sessionId };
    const file = { name, description, createdAt: Date.now(), ...lead, leadPid: process.pid, members: [] };
    await teams.createTeamFile(name, file);
    await tasks.resetTaskList(name);
    await mail.clearAllInboxes(name);
    return { team: name };
  },
  "team.delete": async ({ team }) => {
    await configOf(team);
    await teams.deleteTeamDirs(team);
  },

  // As its TeamManager does on a spawn; it keeps the members in memory and writes the whole file.
  "member.add": async ({ team, name: wanted, agentType, model, prompt, cwd, mode }) => {
    const file = await configOf(team);
    const name = teams.generateUniqueTeammateName(wanted, file.members);
    const planModeRequired = mode === "plan" || undefined;
    const member = {
      agentId: teams.formatAgentId(name, team),
      name,
      agentType,
      model,
      prompt,
      color: teams.assignTeammateColor(file.members),
      joinedAt: Date.now(),
      cwd,
      tmuxPaneId: "",
      backendType: "in-process",
      subscriptions: [],
      planModeRequired,
      mode: planModeRequired && "plan",
    };
    file.members.push(member);
    await teams.writeTeamFile(team, file);
    return { member };
  },

  "task.create": async ({ team, subject, description, activeForm, metadata }) => {
    const task = await tasks.createTask(team, { subject, description, activeForm, metadata });
    return { id: task.id, task };
  },
  "task.get": async ({ team, id }) => ({ task: await demand(team, id) }),
  "task.list": async ({ team }) => ({ tasks: await tasks.listTasks(team) }),
  "task.update": async ({ team, id, owner, by: _, ...change }) => {
    const given = owner === undefined ? change : { ...change, owner: owner ?? "" };
    await update(team, { taskId: id, ...given });
    const task = change.status === "deleted" ? undefined : await tasks.getTask(team, id);
    return task ? { task } : {};
  },
  // Whether a task is blocked is asked by its callers, before.
  "task.claim": async ({ team, id, agent }) => {
    const open = (await tasks.listTasks(team, { status: "pending" })).filter((/** @type {any} */ task) => !task.owner);
    const free = open.find((/** @type {any} */ task) => task.blockedBy.length === 0)?.id;
    if (id === undefined && free === undefined) return { claimed: false, reason: "none" };
    const { blockedBy } = await demand(team, id ?? free);
    if (blockedBy.length > 0) return { claimed: false, reason: "blocked" };
    const task = await tasks.claimTask(team, id ?? free, agent, { ownerName: agent });
    return task ? { claimed: true, task } : { claimed: false, reason: "conflict" };
  },

  "inbox.append": ({ team, agent, from, text, summary }) =>
    mail.writeMessage(team, agent, { from, text, timestamp: new Date().toISOString(), read: false, summary }),
  "inbox.read": async ({ team, agent }) => {
    const messages = await mail.readInbox(team, agent);
    return { messages: messages.filter((/** @type {any} */ { read }) => !read) };
  },
  "inbox.markRead": async ({ team, agent }) => {
    await mail.consumeUnread(team, agent);
  },
};

/**
 * @param {string} team
 * @param {string} id
 */
async function demand(team, id) {
  const task = await tasks.getTask(team, id);
  if (task) return task;
  throw refusal("notFound", `there is no task ${id}`);
}

/** @param {any} error */
function nameOf(error) {
  if (error instanceof SyntaxError || /^Invalid task ID|^params\//.test(error.message)) return "invalid";
  if (error.code === "ENOTEMPTY") return "refused";
  if (error.code === "ELOCKED") return "locked";
  if (error.code === "EEXIST" || /already exists in this team/.test(error.message)) return "conflict";
  if (error.code === "ENOENT") return "notFound";
  return /reserved for the team leader|sanitizes to an empty/.test(error.message) ? "invalid" : undefined;
}

const about = {
  name: "qwen-code",
  version,
  language: "TypeScript",
  homepage: "https://github.com/QwenLM/qwen-code",
  issues: "https://github.com/QwenLM/qwen-code/issues",
  revisions: ["2026-02"],
  quirks: { lockStyle: "mkdir", lockPath: "<file>.lock", staleMs: 5_000, waitMs: 3_000, unblockStyle: "remove" },
};

await answering({ about, methods, nameOf });
