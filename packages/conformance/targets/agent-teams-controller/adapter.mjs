// The package agent-teams-controller of agent-teams-ai as a target, from a checkout of its sources:
// node adapter.mjs <checkout>. Teams are made by its desktop application; the controller works in
// those that are there.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { answering, refusal } from "../answering.mjs";

const [checkout = "."] = process.argv.slice(2);
const { createController } = createRequire(import.meta.url)(resolve(checkout, "agent-teams-controller/src/index.js"));

let root = process.env["AGENT_TEAMS_HOME"] ?? "";

/**
 * As the application opens it for a person; an agent's has to be told who speaks.
 * @param {string} teamName
 */
const controllerOf = (teamName) => createController({ teamName, claudeDir: root });

/** @type {import("../answering.mjs").Methods} */
const methods = {
  reset: ({ root: next }) => {
    root = next;
  },

  "task.create": ({ team, subject, description, activeForm, metadata }) => {
    if (metadata !== undefined) throw refusal("absent", "its tasks have no metadata");
    const task = controllerOf(team).tasks.createTask({ subject, description, activeForm, notifyOwner: false });
    return { id: task.id, task };
  },
  "task.get": ({ team, id }) => ({ task: controllerOf(team).tasks.getTask(id) }),
  "task.list": ({ team }) => ({ tasks: controllerOf(team).tasks.listTasks() }),
  "task.update": ({ team, id, subject, description, status, owner, addBlocks = [], addBlockedBy = [], by, metadata, activeForm }) => {
    if (metadata !== undefined || activeForm !== undefined) throw refusal("absent", "it changes neither metadata nor activeForm");
    const { tasks } = controllerOf(team);
    if (subject !== undefined || description !== undefined) tasks.updateTaskFields(id, { subject, description });
    for (const other of addBlocks) tasks.linkTask(id, other, "blocks");
    for (const other of addBlockedBy) tasks.linkTask(id, other, "blocked-by");
    if (owner !== undefined) tasks.setTaskOwner(id, owner, by);
    if (status === "completed") tasks.completeTask(id, by);
    else if (status === "deleted") tasks.softDeleteTask(id, by);
    else if (status !== undefined) tasks.setTaskStatus(id, status, by);
    return status === "deleted" ? {} : { task: tasks.getTask(id) };
  },

  "inbox.append": ({ team, agent, from, text, summary }) => {
    controllerOf(team).messages.sendMessage({ to: agent, from, text, summary });
  },
};

/** @param {any} error */
function nameOf(error) {
  if (error instanceof SyntaxError || /Invalid|Circular|Missing|Cannot/.test(error.message)) return "invalid";
  if (/File lock timeout/.test(error.message)) return "locked";
  return /not found|Unknown|unknown|does not exist|no such/i.test(error.message) ? "notFound" : undefined;
}

const about = {
  name: "agent-teams-controller",
  version: "1.0.0 (5f462d2)",
  language: "JavaScript",
  homepage: "https://github.com/777genius/agent-teams-ai",
  issues: "https://github.com/777genius/agent-teams-ai/issues",
  revisions: ["2026-02"],
  quirks: { lockStyle: "file", lockPath: "<file>.lock", staleMs: 30_000, waitMs: 5_000 },
};

await answering({ about, methods, nameOf });
