// The tasks and mailboxes of pi-agent-teams as a target, from a checkout of its sources, by a Node
// that reads TypeScript (22.18 or newer): node adapter.mjs <checkout>. Its config has a format of
// its own, and the directories of a team lie below one another, so that the team is one of others
// and links lead to where the protocol has them.
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { answering, refusal } from "../answering.mjs";

const [checkout = "."] = process.argv.slice(2);
const home = resolve(checkout, "extensions/teams");

// The sources name each other as they will be called when they are compiled.
registerHooks({
  resolve(specifier, context, next) {
    const from = context.parentURL ?? "";
    if (!from.startsWith("file:") || !specifier.startsWith(".")) return next(specifier, context);
    const written = new URL(specifier.replace(/\.js$/, ".ts"), from);
    return next(existsSync(fileURLToPath(written)) ? written.href : specifier, context);
  },
});
const part = (/** @type {string} */ name) => import(pathToFileURL(join(home, `${name}.ts`)).href);
const [tasks, mail, { sanitizeName }, { TEAM_MAILBOX_NS }] = await Promise.all(
  ["task-store", "mailbox", "names", "protocol"].map(part),
);

let root = process.env["AGENT_TEAMS_HOME"] ?? "";

/**
 * The directory that its functions take for the team's; the list of tasks is called as the team.
 * @param {string} team
 */
function placeOf(team) {
  const place = join(root, "teams", team);
  link(tasks.getTaskListDir(place, team), join(root, "tasks", team));
  link(dirname(mail.getInboxPath(place, TEAM_MAILBOX_NS, "any")), join(place, "inboxes"));
  return place;
}

/**
 * @param {string} path
 * @param {string} target
 */
function link(path, target) {
  if (existsSync(path)) return;
  mkdirSync(target, { recursive: true });
  mkdirSync(dirname(path), { recursive: true });
  try {
    symlinkSync(target, path);
  } catch (error) {
    // Another process of this check was first.
    if (/** @type {any} */ (error).code !== "EEXIST") throw error;
  }
}

/**
 * @param {string} team
 * @param {string} id
 */
async function demand(team, id) {
  const task = await tasks.getTask(placeOf(team), team, id);
  if (task) return task;
  throw refusal("notFound", `there is no task ${id}`);
}

/**
 * @param {string} team
 * @param {string} id the task that waits
 * @param {string} other the one it waits for
 */
async function depend(team, id, other) {
  const { ok, error } = await tasks.addTaskDependency(placeOf(team), team, id, other);
  if (!ok) throw refusal(/not found/.test(error) ? "notFound" : "invalid", error);
}

/** @type {import("../answering.mjs").Methods} */
const methods = {
  reset: ({ root: next }) => {
    root = next;
  },

  "task.create": async ({ team, subject, description, activeForm, metadata }) => {
    if (activeForm !== undefined || metadata !== undefined) throw refusal("absent", "it takes a subject and a description");
    const task = await tasks.createTask(placeOf(team), team, { subject, description });
    return { id: task.id, task };
  },
  "task.get": async ({ team, id }) => ({ task: await demand(team, id) }),
  // As its list shows them: blocked or not.
  "task.list": async ({ team }) => {
    const place = placeOf(team);
    const shown = [];
    for (const task of await tasks.listTasks(place, team)) {
      shown.push((await tasks.isTaskBlocked(place, team, task)) ? task : { ...task, blockedBy: [] });
    }
    return { tasks: shown };
  },
  "task.claim": async ({ team, id, agent }) => {
    const place = placeOf(team);
    if (id === undefined) {
      const next = await tasks.claimNextAvailableTask(place, team, agent);
      return next ? { claimed: true, task: next } : { claimed: false, reason: "none" };
    }
    const before = await demand(team, id);
    if (await tasks.isTaskBlocked(place, team, before)) return { claimed: false, reason: "blocked" };
    const task = await tasks.claimTask(place, team, id, agent);
    const isMine = task?.owner === agent && before.status === "pending" && !before.owner;
    return isMine ? { claimed: true, task } : { claimed: false, reason: "conflict" };
  },
  "task.update": async ({ team, id, addBlocks = [], addBlockedBy = [], owner, by: _, ...change }) => {
    if (change.status === "deleted" || change.metadata !== undefined || change.activeForm !== undefined)
      throw refusal("absent", "it changes subject, description, status, owner and dependencies");
    await demand(team, id);
    for (const other of addBlockedBy) await depend(team, id, other);
    for (const other of addBlocks) await depend(team, other, id);
    const given = owner === undefined ? change : { ...change, owner: owner === null ? undefined : sanitizeName(owner) };
    const task = await tasks.updateTask(placeOf(team), team, id, (/** @type {any} */ current) => ({
      ...current,
      ...given,
    }));
    return { task };
  },

  "inbox.append": ({ team, agent, from, text }) =>
    mail.writeToMailbox(placeOf(team), TEAM_MAILBOX_NS, agent, { from, text, timestamp: new Date().toISOString() }),
  // Reading is marking as read: there is no function for one without the other.
  "inbox.markRead": async ({ team, agent }) => {
    await mail.popUnreadMessages(placeOf(team), TEAM_MAILBOX_NS, sanitizeName(agent));
  },
};

/** @param {any} error */
const nameOf = (error) => (/^Timeout acquiring lock/.test(error.message) ? "locked" : undefined);

const about = {
  name: "pi-agent-teams",
  version: "0.5.6 (2c1776d)",
  language: "TypeScript",
  homepage: "https://github.com/tmustier/pi-agent-teams",
  issues: "https://github.com/tmustier/pi-agent-teams/issues",
  revisions: ["2026-02"],
  quirks: { lockStyle: "file", lockPath: "<file>.lock", staleMs: 60_000, waitMs: 10_000 },
};

await answering({ about, methods, nameOf });
